// Linear blend skinning of instanced meshes. INFLUENCES (1 to 4) palette entries a vertex are read.
#include "light.glsl"
#include "palette.glsl"
#include "instance.glsl"

layout(location = 0) in vec3 position;  // [model units], bind space
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 3) in uvec4 palette_indices;
layout(location = 4) in vec4 weights;

#ifdef FLAT_NORMALS
#define SHADED flat
#else
#define SHADED smooth
#endif

out vec3 world_position;  // for transform feedback
out vec3 world_normal;
SHADED out vec3 light;  // that a white surface throws back, fog taken off
SHADED out vec3 sheen;  // that adds to it whatever the surface's colour: rim and fog
flat out vec4 tint;      // rgb linear, a how much of it
#ifdef DOUBLE_SIDED
SHADED out vec3 back_light;
#endif
#ifdef TEXTURED
out vec2 surface_uv;
#endif

Affine blended_palette() {
    Affine sum = Affine(vec4(0.0), vec4(0.0), vec4(0.0));
    for (int i = 0; i < INFLUENCES; ++i) {
        add_scaled(sum, palette_entry(int(palette_indices[i])), weights[i]);
    }
    return sum;
}

vec3 received_light(vec3 n) {
    float ground = frame.ground.z > 0.5 ? instance_place.y : frame.ground.x;
    return diffuse_light(n) * openness(world_position.y - ground, n.y);
}

// Shading is done by vertex: crowds have triangles of a few pixels, for which this costs half of what
// shading by fragment does, and the light here has no sharp features that vertices would miss.
void shade() {
    float fog = fog_amount(world_position);
    light = (1.0 - fog) * received_light(world_normal);
#ifdef DOUBLE_SIDED
    back_light = (1.0 - fog) * received_light(-world_normal);
#endif
    vec3 rim = rim_light(world_normal, normalize(frame.eye.xyz - world_position));
    sheen = mix(rim, frame.horizon_color.rgb, fog);
}

void main() {
    Affine skin = blended_palette();
    world_position = instance_point(transform_point(skin, position));
    vec3 turned = rotate(instance_rotation, transform_normal(skin, normal));
    world_normal = turned * inversesqrt(max(dot(turned, turned), 1e-36));
    gl_Position = frame.view_projection * vec4(world_position, 1.0);
    tint = instance_tint;
    shade();
#ifdef TEXTURED
    surface_uv = uv;
#endif
}
