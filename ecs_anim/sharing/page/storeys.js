// The storeys of a building. The page can show one storey: the parts and the actors of all other storeys are hidden.

const ON_FLOOR = 0.05; // [m], distance below a floor at which an actor belongs to its storey; see components/stage.py

class Storeys {
  constructor(storeys) {
    this.heights = storeys.map(([height]) => height); // [m], from the lowest
    this.names = storeys.map(([, name]) => name);
    this.shown = null; // number of the shown storey; null = all storeys
  }

  // Return the choices of the control: values and labels.
  get choices() {
    const one = (name, number) => [String(number), name ? `Storey ${number}: ${name}` : `Storey ${number}`];
    return [["", "All storeys"], ...this.names.map(one)];
  }

  // Show the storey of a choice. Texts without a storey show all storeys.
  choose(text) {
    const number = this.names.findIndex((_, own) => String(own) === text);
    this.shown = number < 0 ? null : number;
  }

  // Return whether a part of the scene is visible. Parts without a number are visible on all storeys.
  shows(storey) {
    return this.shown === null || storey === null || storey === this.shown;
  }

  // Return whether an actor at a height [m] is visible. The storey of an actor is the highest storey below the actor.
  showsHeight(height) {
    if (this.shown === null) return true;
    let storey = 0;
    while (storey + 1 < this.heights.length && this.heights[storey + 1] <= height + ON_FLOOR) storey++;
    return storey === this.shown;
  }
}
