// Loading of the scene sections of a container to the GPU.

// Return the parts of the scene that do not need the motion. The browser compiles shaders while the page decodes data.
async function loadParts(device, box) {
  const scene = JSON.parse(new TextDecoder().decode(await box.array("scene/description")));
  compileShaders(device, scene);
  const [data, files] = await Promise.all([box.array("scene/data"), box.array("scene/images")]);
  const pool = new Pool(data);
  const images = await Promise.all(scene.images.map((image) => loadImage(device, image, files)));
  return { scene, pool, images };
}

// Start the compilation of the programs of all meshes, of the surfaces and of the shadow map. The first picture of a
// software renderer needs only the coarsest meshes without shadows, and surfaces without patterns.
function compileShaders(device, scene) {
  const hasMap = scene.light.shadows === "map";
  for (const { skin, model, detail } of [...scene.crowds, ...scene.props]) {
    const levels = scene.models[skin ?? model] ?? [];
    const compile = (mesh, hasShadows, level) => {
      device.compile("skinned.vert", "skinned.frag", meshDefines(mesh, hasShadows, detail?.far[level]));
    };
    if (device.isSoftware) for (const mesh of levels.at(-1) ?? []) compile(mesh, false, levels.length - 1);
    for (const [level, meshes] of levels.entries()) {
      for (const mesh of meshes) {
        device.later(() => compile(mesh, hasMap, level));
        if (hasMap && mesh.caster) device.later(() => device.compile("shadow.vert", "shadow.frag", mesh.caster));
      }
    }
  }
  for (const { defines } of scene.surfaces) {
    if (device.isSoftware) device.compile("surface.vert", "surface.frag", withoutPattern(defines));
    device.later(() => device.compile("surface.vert", "surface.frag", defines));
  }
}

function buildScene(device, { scene, pool, images }, motion) {
  const models = scene.models.map((levels) =>
    levels.map((meshes) => meshes.map((mesh) => new Mesh(device, mesh, pool, images))),
  );
  const people = scene.crowds.map((look, i) => new MovingCrowd(device, look, models, motion.crowds[i], pool));
  const props = scene.props.map((look) => new PropCrowd(device, look, models, pool));
  const balls = scene.targets ? [new TargetBalls(device, scene.targets, models, pool)] : [];
  const surfaces = scene.surfaces.map((surface) => {
    return new (surface.movement ? MovingSurface : SurfaceMesh)(device, surface, pool, images);
  });
  const backdrop = new Backdrop(device, scene.ground, images);
  const storeys = new Storeys(scene.storeys);
  const crowds = [...people, ...props, ...balls];
  for (const crowd of crowds) crowd.storeys = storeys;
  const renderer = new Renderer(device, scene, crowds, surfaces, backdrop);
  renderer.storeys = storeys;
  return { scene, people, renderer, pool };
}
