// Links to a moment and a view: #t=12.5&cam=x,y,z,distance,azimuth,elevation&storey=1 (angles in degrees).
// A link also keeps the colours, the paths, a scene camera and the selected actor.

const DEGREE = Math.PI / 180;

function linkOf(player) {
  const { own, shown } = player.viewpoints;
  const parts = [`t=${round(player.time, 2)}`];
  if (player.viewpoints.track) parts.push(`camera=${encodeURIComponent(player.viewpoints.track.name)}`);
  else {
    const numbers = [...own.target, own.distance, own.azimuth / DEGREE, own.elevation / DEGREE];
    parts.push(`cam=${numbers.map((value) => round(value, 3)).join(",")}`);
  }
  if (shown === "plan") parts.push("plan=1");
  if (player.colorMode !== "own") parts.push(`colors=${player.colorMode}`);
  if (player.showsPaths) parts.push("paths=1");
  if (player.storeys.shown !== null) parts.push(`storey=${player.storeys.shown}`);
  if (player.selected) parts.push(`actor=${player.selected.crowd},${player.selected.actor}`);
  return `#${parts.join("&")}`;
}

// Go to the moment and the view of a link. Values that are not valid have no effect. Return whether a time was given.
function followLink(player, text) {
  const given = new URLSearchParams(text.replace(/^#/, ""));
  const numbers = (name) => (given.get(name) ?? "").split(",").map(Number);
  const { viewpoints } = player;
  const track = viewpoints.tracks.findIndex((own) => own.name === given.get("camera"));
  if (track >= 0) viewpoints.show(String(track));
  const view = numbers("cam");
  if (view.length === 6 && view.every(Number.isFinite)) {
    const own = viewpoints.own;
    viewpoints.shown = given.get("plan") ? "plan" : "own";
    own.target = view.slice(0, 3);
    [own.distance, own.azimuth, own.elevation] = [view[3], view[4] * DEGREE, view[5] * DEGREE];
    own.limit();
  }
  if (COLOR_MODES.some(([mode]) => mode === given.get("colors"))) player.colorMode = given.get("colors");
  if (given.has("paths")) player.showsPaths = given.get("paths") === "1";
  if (given.has("storey")) player.showStorey(given.get("storey"));
  const [time] = numbers("t");
  const isTimed = given.has("t") && Number.isFinite(time);
  if (isTimed) player.seek(time);
  const [crowd, actor] = numbers("actor");
  const found = given.has("actor") && player.motion.crowds[crowd];
  if (found && Number.isInteger(actor) && actor >= 0 && actor < found.actors) player.select({ crowd, actor });
  player.changed();
  return isTimed;
}

const round = (value, digits) => Number(value.toFixed(digits));
