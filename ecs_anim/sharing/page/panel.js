// The controls, the details of the selected actor, the legend and the help. Names are always text, never markup.

const ICONS = { play: "M4 2 L16 9 L4 16 Z", pause: "M3 2 H7 V16 H3 Z M11 2 H15 V16 H11 Z" };

class Panel {
  constructor(player) {
    this.player = player;
    const names = [
      "title", "status", "details", "actor-name", "actor-facts", "follow", "unselect", "legend", "help", "help-rows",
      "play", "time", "clock", "speed", "camera", "storey", "colors", "paths", "reset", "link", "full", "show-help", "live",
      "picture",
    ];
    this.parts = Object.fromEntries(names.map((name) => [name, document.getElementById(name)]));
    this.fill();
    this.listen();
    player.listeners.push(() => this.show());
    this.show();
  }

  fill() {
    const { parts, player } = this;
    const { title } = player.scene;
    parts.title.textContent = title;
    parts.picture.setAttribute("aria-label", `Picture of the crowd: ${title}`);
    parts.time.max = String(player.motion.seconds);
    const named = (speed) => `Speed ${speed < 1 ? `1/${1 / speed}` : speed}`;
    options(parts.speed, SPEEDS.map((speed) => [String(speed), named(speed)]));
    options(parts.camera, player.viewpoints.choices);
    options(parts.storey, player.storeys.choices);
    parts.storey.hidden = player.storeys.names.length < 2;
    options(parts.colors, COLOR_MODES);
    parts.full.hidden = !document.fullscreenEnabled;
    for (const [label, effect] of [...DRAGS, ...KEY_TABLE.map(([, label, effect]) => [label, effect])]) {
      const [row, head, text] = ["tr", "th", "td"].map((name) => document.createElement(name));
      head.scope = "row";
      head.textContent = label;
      text.textContent = effect;
      row.append(head, text);
      parts["help-rows"].append(row);
    }
  }

  listen() {
    const { parts, player } = this;
    const onClick = (name, act) => parts[name].addEventListener("click", act);
    onClick("play", () => player.play());
    onClick("follow", () => player.follow());
    onClick("unselect", () => player.select(null));
    onClick("paths", () => this.togglePaths());
    onClick("reset", () => this.reset());
    onClick("link", () => this.copyLink());
    onClick("full", () => this.toggleFull());
    onClick("show-help", () => this.toggleHelp());
    parts.time.addEventListener("input", () => {
      player.isPlaying = false;
      player.seek(Number(parts.time.value));
    });
    parts.speed.addEventListener("change", () => {
      player.speed = Number(parts.speed.value);
      player.changed();
    });
    parts.camera.addEventListener("change", () => this.showCamera(parts.camera.value));
    parts.storey.addEventListener("change", () => player.showStorey(parts.storey.value));
    parts.colors.addEventListener("change", () => this.setColors(parts.colors.value));
    window.addEventListener("hashchange", () => {
      if (followLink(player, location.hash)) player.play(false);
    });
  }

  // Show the state of the player in all controls.
  show() {
    const { parts, player } = this;
    const { seconds } = player.motion;
    if (this.wasPlaying !== player.isPlaying) {
      this.wasPlaying = player.isPlaying;
      parts.play.replaceChildren(icon(player.isPlaying ? ICONS.pause : ICONS.play));
      parts.play.setAttribute("aria-label", player.isPlaying ? "Pause" : "Play");
      if (this.isReady) this.say(player.isPlaying ? "Playing" : `Paused at ${spoken(player.time)}`);
      this.isReady = true;
    }
    parts.time.value = String(player.time);
    parts.time.setAttribute("aria-valuetext", `${spoken(player.time)} of ${spoken(seconds)}`);
    setText(parts.clock, `${clockText(player.time)} / ${clockText(seconds)}`);
    setText(parts.status, statusText(player.counts()));
    parts.speed.value = String(player.speed);
    parts.camera.value = player.viewpoints.shown;
    parts.storey.value = player.storeys.shown === null ? "" : String(player.storeys.shown);
    parts.colors.value = player.colorMode;
    if (this.legendMode !== player.colorMode) fillLegend(parts.legend, player.colorMode, player.motion.crowds);
    this.legendMode = player.colorMode;
    parts.paths.setAttribute("aria-pressed", String(player.showsPaths));
    parts.legend.classList.toggle("computing", player.isComputing);
    this.showDetails();
  }

  showDetails() {
    const { parts, player } = this;
    const { selected } = player;
    parts.details.hidden = !selected;
    if (!selected) return;
    const facts = this.facts(), title = `${facts[0][1]} ${facts[1][1]}`;
    setText(parts["actor-name"], title);
    const list = parts["actor-facts"];
    if (list.children.length !== 2 * facts.length) {
      list.replaceChildren(...facts.flatMap(() => [document.createElement("dt"), document.createElement("dd")]));
    }
    facts.flat().forEach((text, index) => setText(list.children[index], text));
    parts.follow.setAttribute("aria-pressed", String(player.isFollowing));
    setText(parts.follow, player.isFollowing ? "Stop following" : "Follow");
    if (this.announced !== selected) this.say(`Selected ${title}`);
    this.announced = selected;
  }

  // Return names and values of the selected actor.
  facts() {
    const { player } = this, { selected } = player, { crowds } = player.motion;
    const crowd = crowds[selected.crowd], place = player.selectedPlace();
    const speed = player.selectedSpeed(), waiting = player.selectedWaiting();
    const identity = [["Crowd", crowd.name], ["Number", String(crowd.ids?.[selected.actor] ?? selected.actor)]];
    if (!place) return [...identity, ["State", "absent"]];
    return [
      ...identity,
      ["Speed", speed === null ? "unknown" : `${speed.toFixed(2)} m/s`],
      ["Density", `${densityAt(crowds, place[0], place[2]).toFixed(2)} /m²`],
      ["Waiting time", waiting === null ? "computing" : `${waiting.toFixed(1)} s`],
      ["Heading", `${Math.round(player.selectedHeading()) % 360}°`],
      ["Position", `${place[0].toFixed(1)},\u00a0${(-place[2]).toFixed(1)}\u00a0m`],
    ];
  }

  say(text) {
    this.parts.live.textContent = text;
  }

  // A drag ends the view of a scene camera.
  take() {
    if (this.player.viewpoints.track || this.player.viewpoints.shown === "plan") this.player.viewpoints.take();
  }

  showCamera(value) {
    const { player } = this;
    player.viewpoints.show(value);
    const label = player.viewpoints.choices.find(([own]) => own === value)[1];
    this.say(label);
    player.changed();
  }

  nextCamera() {
    const values = this.player.viewpoints.choices.map(([value]) => value).filter((value) => value !== "plan");
    this.showCamera(values[(values.indexOf(this.player.viewpoints.shown) + 1) % values.length]);
  }

  togglePlan() {
    this.showCamera(this.player.viewpoints.shown === "plan" ? "own" : "plan");
  }

  reset() {
    this.player.viewpoints.show("own");
    this.player.viewpoints.own.reset();
    this.player.isFollowing = false;
    this.player.changed();
  }

  togglePaths() {
    this.player.showsPaths = !this.player.showsPaths;
    this.say(this.player.showsPaths ? "Paths shown" : "Paths hidden");
    this.player.changed();
  }

  setColors(mode) {
    this.player.colorMode = mode;
    this.say(COLOR_MODES.find(([own]) => own === mode)[1]);
    this.player.changed();
  }

  nextColors() {
    const modes = COLOR_MODES.map(([mode]) => mode);
    this.setColors(modes[(modes.indexOf(this.player.colorMode) + 1) % modes.length]);
  }

  async copyLink() {
    try {
      history.replaceState(null, "", linkOf(this.player));
    } catch {
      return this.flash(this.parts.link, "No link in this frame"); // frames of notebooks have no address
    }
    try {
      await navigator.clipboard.writeText(location.href);
      this.flash(this.parts.link, "Link copied");
    } catch {
      this.flash(this.parts.link, "Link is in the address");
    }
  }

  flash(button, text) {
    const before = button.dataset.label ?? button.textContent;
    button.dataset.label = before;
    button.textContent = text;
    this.say(text);
    setTimeout(() => (button.textContent = before), 2000);
  }

  save() {
    this.player.draw();
    this.parts.picture.toBlob((blob) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = `picture-${this.player.time.toFixed(2)}s.png`;
      link.click();
      URL.revokeObjectURL(link.href);
    });
  }

  toggleFull() {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen();
  }

  get isHelpOpen() {
    return this.parts.help.open;
  }

  toggleHelp() {
    if (this.isHelpOpen) this.parts.help.close();
    else this.parts.help.showModal();
  }
}

function options(select, choices) {
  select.replaceChildren(...choices.map(([value, label]) => new Option(label, value)));
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function statusText({ present, shown }) {
  const [all, some] = [present, shown].map((count) => count.toLocaleString("en"));
  return `${shown < present ? `${some} of ` : ""}${all} ${present === 1 ? "actor" : "actors"}`;
}

function icon(path) {
  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg"), shape = document.createElementNS(space, "path");
  drawing.setAttribute("viewBox", "0 0 18 18");
  drawing.setAttribute("aria-hidden", "true");
  shape.setAttribute("d", path);
  drawing.append(shape);
  return drawing;
}

function clockText(time) {
  const tenths = Math.floor(10 * time + 1e-6);
  const minutes = Math.floor(tenths / 600), seconds = Math.floor((tenths % 600) / 10);
  return `${minutes}:${String(seconds).padStart(2, "0")}.${tenths % 10}`;
}

const spoken = (time) => `${time.toFixed(1)} seconds`;
