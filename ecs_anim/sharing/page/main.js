async function start() {
  const shaders = JSON.parse(document.getElementById("shaders").textContent);
  const bytes = Uint8Array.from(atob(document.getElementById("payload").textContent), (letter) => letter.charCodeAt(0));
  const box = await openContainer(bytes);
  const motion = await openMotion(box);
  const canvas = document.getElementById("picture");
  const device = new Device(canvas, shaders);
  const { scene, people, renderer } = await loadScene(device, box, motion);
  const camera = new OrbitCamera(scene.view);
  motion.sample(0);
  canvas.width = innerWidth; canvas.height = innerHeight;
  renderer.draw(camera.view(canvas.width / canvas.height), canvas.width, canvas.height);
  document.documentElement.dataset.state = "ready";
}
start().catch((error) => { document.documentElement.dataset.state = "failed"; console.error(error.stack); });
