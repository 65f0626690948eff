// Loading of the scene sections of a container to the GPU.

async function loadScene(device, box, motion) {
  const text = new TextDecoder().decode(await box.array("scene/description"));
  const scene = JSON.parse(text);
  const data = await box.array("scene/data");
  const pool = new Pool(data);
  const images = await Promise.all(scene.images.map((image) => loadImage(device, image, data)));
  const models = scene.models.map((levels) =>
    levels.map((meshes) => meshes.map((mesh) => new Mesh(device, mesh, pool, images))),
  );
  const people = scene.crowds.map((look, i) => new MovingCrowd(device, look, models, motion.crowds[i], pool));
  const props = scene.props.map((look) => new PropCrowd(device, look, models, pool));
  const surfaces = scene.surfaces.map((surface) => new SurfaceMesh(device, surface, pool, images));
  const backdrop = new Backdrop(device, scene.ground, images);
  const renderer = new Renderer(device, scene, [...people, ...props], surfaces, backdrop);
  return { scene, people, renderer, pool };
}
