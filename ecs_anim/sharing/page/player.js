// The state of the player: time, speed, view, selection and colours. The player draws a picture only after a change of
// this state.

const MAX_STEP = 0.1; // [s], longest real time between two pictures; time beyond this limit is skipped
const SINGLE_STEP = 1 / 60; // [s]
const SPEEDS = [1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8];
const RING_RADIUS = 0.45; // [m], of the ring below the selected actor
const SELECTED_COLOR = [1, 0.25, 0]; // linear RGB
const EYE_HEIGHT = 1; // [m], height of the target while the camera follows an actor

class Player {
  constructor(canvas, device, motion, loaded) {
    Object.assign(this, { canvas, device, motion, renderer: loaded.renderer, people: loaded.people });
    this.scene = loaded.scene;
    this.viewpoints = new Viewpoints(loaded.scene, loaded.pool, motion);
    this.tracks = new Tracks(motion);
    this.waiting = new WaitingTimes(motion);
    this.ribbons = this.renderer.ribbons;
    this.time = 0;
    this.speed = 1;
    this.isPlaying = false;
    this.isFollowing = false;
    this.showsPaths = false;
    this.colorMode = "own";
    this.selected = null; // { crowd, actor }
    this.isStale = true;
    this.drawnQuality = null; // of the picture on the canvas
    this.listeners = []; // called after each change of the state
    this.motion.sample(0);
  }

  // Load what the first picture did not need.
  async complete() {
    await this.device.finish();
    if (this.device.isSoftware) for (const atlas of this.device.atlases.values()) atlas.clear(); // of previews
    await this.motion.finish();
    this.changed();
  }

  changed() {
    this.isStale = true;
    for (const listener of this.listeners) listener();
  }

  seek(time) {
    const before = this.followed();
    this.time = clamp(time, 0, this.motion.seconds);
    this.motion.sample(this.time);
    this.keepUp(before);
    this.changed();
  }

  play(isPlaying = !this.isPlaying) {
    if (isPlaying && this.time >= this.motion.seconds) this.seek(0);
    this.isPlaying = isPlaying;
    this.changed();
  }

  step(direction) {
    this.isPlaying = false;
    this.seek(this.time + direction * SINGLE_STEP);
  }

  faster(direction) {
    const at = SPEEDS.indexOf(this.speed) + direction;
    this.speed = SPEEDS[clamp(at, 0, SPEEDS.length - 1)];
    this.changed();
  }

  // Advance by the real time since the last picture. Draw a picture after a change.
  tick(elapsed) {
    if (this.isPlaying) {
      this.seek(this.time + this.speed * Math.min(elapsed, MAX_STEP));
      if (this.time >= this.motion.seconds) this.play(false);
    }
    if (this.isStale || this.quality !== this.drawnQuality || this.resize()) this.draw();
  }

  draw() {
    this.isStale = false;
    if (this.drawnQuality) this.device.finish();
    this.resize();
    this.color();
    const { width, height } = this.canvas;
    const { quality } = this;
    this.renderer.draw(this.view(), width, height, this.time, quality);
    this.drawnQuality = quality;
  }

  view() {
    return this.viewpoints.view(this.time, this.canvas.width / Math.max(this.canvas.height, 1));
  }

  // The quality of the next picture. Software renderers draw the first picture and moving pictures as drafts.
  get quality() {
    if (!this.device.isSoftware) return FULL;
    if (!this.drawnQuality) return FIRST_DRAFT;
    return this.isPlaying ? DRAFT : FULL;
  }

  // Give the canvas the pixels of the display. Software renderers get the fewer pixels of the page.
  resize() {
    const ratio = this.ratio();
    const width = Math.max(Math.round(this.canvas.clientWidth * ratio), 1);
    const height = Math.max(Math.round(this.canvas.clientHeight * ratio), 1);
    if (width === this.canvas.width && height === this.canvas.height) return false;
    this.canvas.width = width;
    this.canvas.height = height;
    return true;
  }

  ratio() {
    return this.device.isSoftware ? 1 : Math.min(window.devicePixelRatio, 2);
  }

  // Compute the colours and the paths of this moment.
  color() {
    const moment = this.tracks.moment(this.time);
    const needs = this.showsPaths ? PATH_SECONDS / GRID : this.colorMode === "speed" ? 1 : 0;
    if (needs > 0 && this.tracks.know(moment - needs, Math.max(moment, 1))) this.motion.sample(this.time);
    this.learnWaiting(moment);
    if (this.colorMode === "density") this.densities = densities(this.motion.crowds);
    this.people.forEach((crowd, number) => {
      crowd.colors = this.colorMode === "own" ? null : this.modeColors(crowd, number);
    });
    this.ribbons.begin();
    const color = (number, actor) => this.pathColor(number, actor);
    const shows = (number, index) => this.people[number].isShown(index);
    if (this.showsPaths) this.ribbons.addPaths(this.tracks, this.time, shows, color);
    const place = this.selectedPlace();
    if (place && this.storeys.showsHeight(place[1])) this.ribbons.addRing(place, RING_RADIUS, SELECTED_COLOR);
    this.ribbons.send();
  }

  // Compute waiting times up to a moment, if they are shown. If the computation is not complete, the next picture
  // continues the computation.
  learnWaiting(moment) {
    if (this.colorMode !== "waiting" && !this.selected) return;
    const { waiting } = this, wasComplete = waiting.isComplete(moment);
    if (waiting.extend(moment)) this.motion.sample(this.time);
    if (!waiting.isComplete(moment)) this.isStale = true;
    else if (!wasComplete) this.changed();
  }

  get isComputing() {
    return this.colorMode === "waiting" && !this.waiting.isComplete(this.tracks.moment(this.time));
  }

  modeColors(crowd, number) {
    const colors = crowd.colors ?? new Float32Array(3 * this.motion.crowds[number].actors);
    const { count, actor } = crowd.motion;
    const own = this.colorMode === "density" ? this.densities[number] : null;
    for (let index = 0; index < count; index++) {
      const color = own ? rampColor("density", own[index]) : this.actorColor(number, actor[index]);
      colors.set(color, 3 * actor[index]);
    }
    return colors;
  }

  // Return the colour of an actor by speed, by waiting time or by crowd.
  actorColor(number, actor) {
    if (this.colorMode === "speed") return rampColor("speed", this.tracks.speed(this.time, number, actor));
    if (this.colorMode !== "waiting") return crowdColor(number);
    return rampColor("waiting", this.waiting.seconds(this.tracks.moment(this.time), number, actor));
  }

  pathColor(number, actor) {
    if (this.selected?.crowd === number && this.selected.actor === actor) return SELECTED_COLOR;
    return this.actorColor(number, actor);
  }

  select(actor) {
    this.selected = actor;
    if (!actor) this.isFollowing = false;
    this.changed();
  }

  // Select the shown actor after or before the selected actor, in the order of crowds and numbers.
  selectNext(direction) {
    const shown = this.people.flatMap((people, crowd) => {
      const actors = Array.from(people.motion.actor.subarray(0, people.motion.count));
      return actors.filter((_, index) => people.isShown(index)).map((actor) => ({ crowd, actor }));
    });
    const { crowd, actor } = this.selected ?? {}, { length } = shown;
    const at = shown.findIndex((own) => own.crowd === crowd && own.actor === actor);
    if (length) this.select(shown[(Math.max(at, direction < 0 ? 0 : -1) + direction + length) % length]);
  }

  pick(x, y) {
    const ratio = this.ratio();
    const { width, height } = this.canvas;
    this.heights ??= this.people.map(bodyHeight);
    const found = pickActor(this.motion, this.people, this.heights, this.view(), x * ratio, y * ratio, width, height);
    const isSame = found && this.selected?.crowd === found.crowd && this.selected.actor === found.actor;
    this.select(isSame ? null : found);
  }

  follow(isFollowing = !this.isFollowing) {
    if (!this.selected) return;
    this.isFollowing = isFollowing;
    const place = this.followed();
    if (place) {
      this.viewpoints.take();
      this.viewpoints.own.target = [place[0], place[1] + EYE_HEIGHT, place[2]];
    }
    this.changed();
  }

  get storeys() {
    return this.renderer.storeys;
  }

  // Return the number of present actors, and the number of these actors on shown storeys.
  counts() {
    let present = 0, shown = 0;
    for (const crowd of this.people) {
      present += crowd.motion.count;
      for (let index = 0; index < crowd.motion.count; index++) shown += crowd.isShown(index) ? 1 : 0;
    }
    return { present, shown };
  }

  showStorey(text) {
    this.storeys.choose(text);
    this.changed();
  }

  // Return the position of the followed actor, or null.
  followed() {
    return this.isFollowing ? this.selectedPlace() : null;
  }

  selectedPlace() {
    if (!this.selected) return null;
    const crowd = this.motion.crowds[this.selected.crowd];
    const index = indexOf(crowd, this.selected.actor);
    return index < 0 ? null : [...crowd.placement.subarray(8 * index, 8 * index + 3)];
  }

  // Return the speed of the selected actor [m/s], or null.
  selectedSpeed() {
    const { crowd, actor } = this.selected, moment = this.tracks.moment(this.time);
    if (this.tracks.know(moment - 1, Math.max(moment, 1))) this.motion.sample(this.time);
    return this.tracks.speed(this.time, crowd, actor);
  }

  // Return the waiting time of the selected actor [s], or null if it is not known yet.
  selectedWaiting() {
    const { crowd, actor } = this.selected, moment = this.tracks.moment(this.time);
    return this.waiting.isComplete(moment) ? this.waiting.seconds(moment, crowd, actor) : null;
  }

  // Return the heading of the selected actor [degree], counter-clockwise from east, or null for an absent actor.
  selectedHeading() {
    const crowd = this.motion.crowds[this.selected.crowd], index = indexOf(crowd, this.selected.actor);
    if (index < 0) return null;
    const forward = rotated(crowd.placement, 8 * index + 4, [0, 0, 1]);
    return ((Math.atan2(-forward[2], forward[0]) * 180) / Math.PI + 360) % 360;
  }

  // Move the camera with the followed actor.
  keepUp(before) {
    const now = this.followed();
    if (!before || !now || this.viewpoints.track) return;
    this.viewpoints.own.target = add(this.viewpoints.own.target, subtract(now, before));
  }
}

// Return the height of the highest vertex of a crowd's finest meshes [rig unit].
function bodyHeight(crowd) {
  let top = 0;
  for (const mesh of (crowd.skin ?? crowd.bones)?.[0] ?? []) top = Math.max(top, mesh.top);
  return top || 1.75;
}
