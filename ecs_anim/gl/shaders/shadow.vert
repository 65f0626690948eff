// Skinned actors on the shadow map: only the positions of their vertices. Objects that are nearer to the sun than the
// map get the smallest depth. With the define CLAMPED_DEPTH, the shader does so, because OpenGL cannot.
#include "shadow_space.glsl"
#include "skin.glsl"
#include "instance.glsl"
#include "morph.glsl"
#include "base_color_inputs.glsl"

layout(location = 0) in vec3 position;  // [model units], bind space
#ifdef MIRRORS
flat out int mirrored;
#endif

#ifdef FADING
flat out ivec2 fading;  // x omitted fraction of the actor, in 1/255; y number of the actor
#endif

void main() {
    vec3 bound = position, outward = vec3(0.0);
    morph(bound, outward);
    Affine skin = blended_palette();
#ifdef MIRRORS
    mirrored = int(volume(skin) < 0.0);
#endif
    vec3 world = instance_point(transform_point(skin, bound));
    gl_Position = vec4(2.0 * shadow_position(world) - 1.0, 1.0);
#ifdef CLAMPED_DEPTH
    gl_Position.z = max(gl_Position.z, -1.0);
#endif
    pass_base_color();
#ifdef FADING
    fading = instance_numbers.wy;
#endif
}
