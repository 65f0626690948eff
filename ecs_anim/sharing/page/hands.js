// Mouse, touch and keys. They equal the keys and drags of windows: ecs_anim/gl/window/keys.py.

const CLICK_WAY = 4; // [page pixel], largest movement during a click
const NOTCH = 100; // [page pixel], scroll distance of one notch

// Keys: names, effect for the help, and action.
const KEY_TABLE = [
  [[" "], "Space", "Pause or continue.", (player) => player.play()],
  [[".", "ArrowRight"], ". or Right", "Pause and take one step of 1/60 s.", (player) => player.step(1)],
  [[",", "ArrowLeft"], ", or Left", "Pause and go back by 1/60 s.", (player) => player.step(-1)],
  [["Home"], "Home", "Go to the start.", (player) => player.seek(0)],
  [["End"], "End", "Go to the end.", (player) => player.seek(player.motion.seconds)],
  [["+", "="], "+ or =", "Double the playback speed, up to 8.", (player) => player.faster(1)],
  [["-"], "-", "Halve the playback speed, down to 1/8.", (player) => player.faster(-1)],
  [["r"], "R", "Return to the first view.", (player, panel) => panel.reset()],
  [["n"], "N", "Select the next actor.", (player) => player.selectNext(1)],
  [["b"], "B", "Select the actor before.", (player) => player.selectNext(-1)],
  [["f"], "F", "Follow the selected actor, or stop following.", (player) => player.follow()],
  [["c"], "C", "Show the next camera of the scene.", (player, panel) => panel.nextCamera()],
  [["p"], "P", "Show the plan from above, or the free camera.", (player, panel) => panel.togglePlan()],
  [["t"], "T", "Show or hide the paths of the last 4 seconds.", (player, panel) => panel.togglePaths()],
  [["o"], "O", "Change the colours.", (player, panel) => panel.nextColors()],
  [["s"], "S", "Save a picture.", (player, panel) => panel.save()],
  [["h", "F1"], "H or F1", "Show or hide this help.", (player, panel) => panel.toggleHelp()],
  [["Escape"], "Esc", "End the selection.", (player) => player.select(null)],
];
const DRAGS = [
  ["drag", "Orbit the camera."],
  ["drag on the timeline", "Pause and show another moment."],
  ["right-drag, shift-drag", "Pan the camera."],
  ["wheel", "Zoom."],
  ["click", "Select an actor and show its state. A second click ends the selection."],
  ["one finger, two fingers", "Orbit. Two fingers pan and zoom."],
];

class Hands {
  constructor(canvas, player, panel) {
    Object.assign(this, { canvas, player, panel });
    this.pointers = new Map(); // position of each pressed pointer
    this.way = Infinity; // movement since the press
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.release(event, true));
    canvas.addEventListener("pointercancel", (event) => this.release(event, false));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    document.addEventListener("keydown", (event) => this.key(event));
  }

  press(event) {
    this.canvas.setPointerCapture?.(event.pointerId);
    this.way = this.pointers.size ? Infinity : 0;
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    this.canvas.focus({ preventScroll: true });
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    const moved = [now[0] - before[0], now[1] - before[1]];
    this.way += Math.abs(moved[0]) + Math.abs(moved[1]);
    if (this.pointers.size === 2) this.pinch(event.pointerId, before, now);
    this.pointers.set(event.pointerId, now);
    if (this.way <= CLICK_WAY) return;
    const isPan = this.pointers.size === 2 || event.shiftKey || (event.buttons & 6) !== 0;
    const share = this.pointers.size === 2 ? 0.5 : 1; // both fingers report the movement
    this.panel.take();
    const { clientHeight } = this.canvas;
    this.player.viewpoints.own.drag((share * moved[0]) / clientHeight, (-share * moved[1]) / clientHeight, isPan);
    this.player.changed();
  }

  pinch(id, before, now) {
    const [other] = [...this.pointers].filter(([key]) => key !== id).map(([, place]) => place);
    const [wide, wider] = [before, now].map((p) => Math.max(Math.hypot(p[0] - other[0], p[1] - other[1]), 1));
    this.panel.take();
    this.player.viewpoints.own.zoom(wide / wider);
  }

  release(event, isUp) {
    const isClick = isUp && this.way <= CLICK_WAY && event.button === 0;
    this.pointers.delete(event.pointerId);
    if (!isClick) return;
    const box = this.canvas.getBoundingClientRect();
    this.player.pick(event.clientX - box.left, event.clientY - box.top);
  }

  wheel(event) {
    event.preventDefault();
    this.panel.take();
    const pixels = event.deltaMode === 1 ? 33 * event.deltaY : event.deltaY;
    this.player.viewpoints.own.zoom(ZOOM_PER_NOTCH ** (-pixels / NOTCH));
    this.player.changed();
  }

  // If a control has the focus, it keeps its own keys: a button keeps Space, and a list keeps letters and arrows.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    if (target instanceof HTMLSelectElement) return;
    if (target instanceof HTMLButtonElement && [" ", "Enter"].includes(event.key)) return;
    if (target instanceof HTMLInputElement && /^(Arrow|Home|End|Page)/.test(event.key)) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const found = KEY_TABLE.find(([names]) => names.includes(name));
    if (!found) return;
    if (this.panel.isHelpOpen && !["h", "F1"].includes(name)) return;
    event.preventDefault();
    found[3](this.player, this.panel);
  }
}
