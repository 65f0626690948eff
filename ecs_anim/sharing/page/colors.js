// Colours of actors: the recorded tints, one colour for each crowd, or colours by a value.

const COLOR_MODES = [
  ["own", "Recorded colours"],
  ["crowd", "Colours by crowd"],
  ["speed", "Colours by speed"],
  ["density", "Colours by density"],
  ["waiting", "Colours by waiting time"],
];
const DENSITY_RADIUS = 1.5; // [m], of the disc around an actor
// Value and unit of the last colour, and the meaning of the value.
const RAMPS = {
  speed: { top: 2, unit: "m/s", meaning: "Speed" },
  density: { top: 4, unit: "actors per m²", meaning: `Density within ${DENSITY_RADIUS} m` },
  waiting: { top: 20, unit: "s", meaning: `Time with a speed below ${WAITING_SPEED} m/s` },
};
// Viridis at five equal steps. The lightness grows, so the order is clear without hues.
const RAMP = ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"].map(linearOf);
// Okabe and Ito, "Color Universal Design", 2008: eight colours that people with colour blindness can tell apart.
const CROWD_COLORS = [
  "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#555555",
].map(linearOf);

function linearOf(hex) {
  return [1, 3, 5].map((at) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
}

function cssOf(rgb) {
  const encode = (value) => (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055);
  const encoded = rgb.map((value) => Math.round(255 * encode(value)));
  return `rgb(${encoded.join(" ")})`;
}

// Return the colour of a value of a mode. An unknown value has the first colour.
function rampColor(mode, value) {
  const at = clamp((value ?? 0) / RAMPS[mode].top, 0, 1) * (RAMP.length - 1);
  const low = Math.min(Math.floor(at), RAMP.length - 2);
  return add(scaled(RAMP[low], 1 - (at - low)), scaled(RAMP[low + 1], at - low));
}

// Return for each crowd the density around each actor [1/m²]: the actors in a disc around the actor, per area.
function densities(crowds) {
  const cells = new Map();
  const key = (x, z) => `${Math.floor(x / DENSITY_RADIUS)},${Math.floor(z / DENSITY_RADIUS)}`;
  const places = crowds.map(({ count, placement }) =>
    Array.from({ length: count }, (_, index) => [placement[8 * index], placement[8 * index + 2]]),
  );
  for (const place of places.flat()) {
    const own = key(...place);
    if (!cells.has(own)) cells.set(own, []);
    cells.get(own).push(place);
  }
  return places.map((own) => own.map(([x, z]) => countNear(cells, key, x, z) / (Math.PI * DENSITY_RADIUS ** 2)));
}

// Return the density at a point [1/m²].
function densityAt(crowds, x, z) {
  let count = 0;
  for (const { count: present, placement } of crowds) {
    for (let at = 0; at < 8 * present; at += 8) {
      if (Math.hypot(placement[at] - x, placement[at + 2] - z) <= DENSITY_RADIUS) count++;
    }
  }
  return count / (Math.PI * DENSITY_RADIUS ** 2);
}

function countNear(cells, key, x, z) {
  let count = 0;
  for (let i = -1; i <= 1; i++) {
    for (let j = -1; j <= 1; j++) {
      for (const place of cells.get(key(x + i * DENSITY_RADIUS, z + j * DENSITY_RADIUS)) ?? []) {
        if (Math.hypot(place[0] - x, place[1] - z) <= DENSITY_RADIUS) count++;
      }
    }
  }
  return count;
}

const crowdColor = (number) => CROWD_COLORS[number % CROWD_COLORS.length];

// Show the meaning of the colours.
function fillLegend(legend, mode, crowds) {
  legend.replaceChildren();
  legend.hidden = mode === "own";
  if (mode === "crowd") {
    const list = document.createElement("ul");
    crowds.forEach((crowd, number) => {
      const item = document.createElement("li"), patch = document.createElement("i");
      patch.style.background = cssOf(crowdColor(number));
      item.append(patch, crowd.name);
      list.append(item);
    });
    legend.append(list);
  } else if (mode !== "own") {
    const { top, unit: unitName, meaning } = RAMPS[mode];
    const name = textPart("p", meaning), ramp = document.createElement("span"), ends = document.createElement("span");
    ramp.className = "ramp";
    ramp.style.background = `linear-gradient(to right, ${RAMP.map(cssOf).join(", ")})`;
    ends.className = "ends";
    ends.append(textPart("span", "0"), textPart("span", `${top} ${unitName} and more`));
    legend.append(name, ramp, ends);
  }
}

function textPart(kind, text) {
  const part = document.createElement(kind);
  part.textContent = text;
  return part;
}
