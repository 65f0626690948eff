// Linear blend skinning of instanced meshes. INFLUENCES (1 to 4) palette entries a vertex are read.
#include "frame.glsl"
#include "palette.glsl"
#include "instance.glsl"

layout(location = 0) in vec3 position;  // [model units], bind space
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 3) in uvec4 palette_indices;
layout(location = 4) in vec4 weights;

#ifdef FLAT_NORMALS
#define NORMAL_QUALIFIER flat
#else
#define NORMAL_QUALIFIER smooth
#endif

out vec3 world_position;
NORMAL_QUALIFIER out vec3 world_normal;
out vec2 surface_uv;
flat out vec3 tint;

Affine blended_palette() {
    Affine sum = Affine(vec4(0.0), vec4(0.0), vec4(0.0));
    for (int i = 0; i < INFLUENCES; ++i) {
        add_scaled(sum, palette_entry(int(palette_indices[i])), weights[i]);
    }
    return sum;
}

void main() {
    Affine skin = blended_palette();
    world_position = instance_point(transform_point(skin, position));
    vec3 turned = rotate(instance_rotation, transform_normal(skin, normal));
    world_normal = turned * inversesqrt(max(dot(turned, turned), 1e-36));
    surface_uv = uv;
    tint = tint_factor();
    gl_Position = frame.view_projection * vec4(world_position, 1.0);
}
