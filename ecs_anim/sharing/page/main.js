// Start of the page. An error shows one sentence in place of the picture.

async function start() {
  const text = (id) => document.getElementById(id).textContent;
  const canvas = document.getElementById("picture");
  if (typeof DecompressionStream === "undefined") {
    throw new Error("This browser is too old for this file. Open the file in a current browser.");
  }
  const device = new Device(canvas, JSON.parse(text("shaders")));
  const box = await openContainer(bytesOf(text("payload")));
  const [parts, motion] = await Promise.all([loadParts(device, box), openMotion(box)]);
  const player = new Player(canvas, device, motion, buildScene(device, parts, motion));
  const panel = new Panel(player);
  new Hands(canvas, player, panel);
  canvas.addEventListener("webglcontextlost", () => fail(new Error("The browser lost the GPU. Load the page again.")));
  window.player = player; // for scripts and tests
  const isTimed = followLink(player, location.hash);
  player.draw();
  document.getElementById("loading").hidden = true;
  document.documentElement.dataset.state = "ready";
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done))); // the browser shows the first picture
  await player.complete();
  document.documentElement.dataset.state = "complete";
  if (!isTimed && !matchMedia("(prefers-reduced-motion: reduce)").matches) player.play(true);
  run(player);
}

function run(player) {
  let before = performance.now();
  const next = (now) => {
    try {
      player.tick((now - before) / 1000);
    } catch (error) {
      fail(error);
      return;
    }
    before = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}

function bytesOf(base64) {
  try {
    return Uint8Array.fromBase64?.(base64) ?? slowBytesOf(base64);
  } catch {
    throw new Error("The recording in this file is damaged. Get a new copy of the file.");
  }
}

// For browsers before 2026.
function slowBytesOf(base64) {
  const letters = atob(base64), bytes = new Uint8Array(letters.length);
  for (let k = 0; k < letters.length; k++) bytes[k] = letters.charCodeAt(k); // much faster than Uint8Array.from
  return bytes;
}

function fail(error) {
  const notice = document.getElementById("failure");
  document.getElementById("loading").hidden = true;
  document.getElementById("controls").hidden = true;
  notice.textContent = error instanceof Error ? error.message : String(error);
  notice.hidden = false;
  document.documentElement.dataset.state = "failed";
}

start().catch(fail);
