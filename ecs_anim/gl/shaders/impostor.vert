// An impostor: a quad through the middle of a distant actor. The quad faces the eye.
#include "light.glsl"
#include "shadow_space.glsl"
#include "instance.glsl"
#ifdef SHADOWS
#include "sun.glsl"
#endif

#ifndef NAMED  // if NAMED is defined, each instance contains its picture: x pose, z appearance
uniform usamplerBuffer pose_actors;  // four texels per actor, `BAKED_ACTOR` of ecs_anim/view/instances.py
#endif
uniform samplerBuffer clips;         // two texels per clip, ecs_anim/gl/impostors/atlas.py
uniform sampler2DArray normals;
uniform samplerBuffer boxes;         // rectangle of a cell that is not empty: low xy, high xy in -1 to 1
uniform vec2 cell;                   // [texel], size of a picture

// These numbers must equal the numbers in ecs_anim/levels/impostors.py.
const float YAWS = 16.0, ELEVATIONS = 5.0;
const float BORDER = 1.5;
const float PI = 3.14159265;

out vec2 in_layer;        // texture coordinates
flat out float layer;
flat out int number;       // number of the actor
flat out vec4 turn;       // rotation from the picture's space to the world
flat out vec4 tint;
flat out vec3 to_eye;
flat out float fog;
out float height;         // [m] above the ground
out float up_body;        // 0 at the feet, 1 at the top
#ifdef LAMPS
flat out vec3 middle;
#endif
#ifdef SHADOWS
flat out vec4 sunlit_at;  // sunlight at four heights of the body
#endif

vec4 times(vec4 a, vec4 b) {
    return vec4(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

#ifdef NAMED
int clip_shown() { return instance_numbers.z; }
float phase_shown(float count, float chance) { return float(instance_numbers.x); }
#else
// When a cross-fade starts, the impostor immediately shows the second clip.
vec3 plays() { return uintBitsToFloat(texelFetch(pose_actors, 4 * instance_numbers.y + 3).xyz); }

int clip_shown() {
    uint pair = texelFetch(pose_actors, 4 * instance_numbers.y + 2).z;
    return int(plays().z <= 0.0 ? pair & 0xffffu : pair >> 16);
}

float phase_shown(float count, float chance) {
    float phase = plays().z <= 0.0 ? plays().x : plays().y;
    return clamp(floor(phase * count + chance - 0.5), 0.0, count - 1.0);
}
#endif

void main() {
    number = instance_numbers.y;
#ifdef LAMPS
    middle = instance_place.xyz + vec3(0.0, 1.0, 0.0);
#endif
    int clip = clip_shown();
    vec4 cylinder = texelFetch(clips, 2 * clip);
    vec3 rest = texelFetch(clips, 2 * clip + 1).xyz;  // half height, first row, phases

    vec3 centre = instance_point(cylinder.xyz);
    to_eye = normalize(frame.eye.xyz - centre);
    vec3 seen = rotate(vec4(-instance_rotation.xyz, instance_rotation.w), to_eye);
    float elevation = clamp(asin(clamp(seen.y, -1.0, 1.0)), 0.0, 0.5 * PI);
    float yaw = atan(seen.x, seen.z + 1e-9);
    // Each actor rounds its yaw and its time with different offsets. Otherwise, equal actors would change pictures
    // along a visible line or at one time. The offsets are the R3 sequence of M. Roberts.
    vec3 chance = fract(float(number) * vec3(0.8191725, 0.6710436, 0.5497005));
    float raised = clamp(floor(elevation * ((ELEVATIONS - 1.0) / (0.5 * PI)) + chance.x), 0.0, ELEVATIONS - 1.0);
    float view = mod(floor(yaw * (YAWS / (2.0 * PI)) + chance.y), YAWS);
    float phase = phase_shown(rest.z, chance.z);
    layer = raised;

    // The elevation of the picture differs slightly from the elevation of the view. This factor corrects the height of
    // an upright body.
    float pictured = raised * (0.5 * PI) / (ELEVATIONS - 1.0);
    float upright = clamp(cos(elevation) / max(cos(pictured), 0.1), 0.7, 1.4);
    vec2 half_size = vec2(cylinder.w, upright * (rest.x * cos(pictured) + cylinder.w * sin(pictured)));
    half_size *= cell / (cell - 2.0 * BORDER);
    vec4 box = texelFetch(boxes, int(((ELEVATIONS * rest.y + raised * rest.z) + phase) * YAWS + view));
    vec2 corner = mix(box.xy, box.zw, vec2(gl_VertexID & 1, gl_VertexID >> 1));
    vec3 right = vec3(cos(yaw), 0.0, -sin(yaw));
    vec3 up = vec3(-sin(yaw) * sin(elevation), cos(elevation), -cos(yaw) * sin(elevation));
    vec3 world = instance_point(cylinder.xyz + corner.x * half_size.x * right + corner.y * half_size.y * up);
    gl_Position = frame.view_projection * vec4(world, 1.0);
    in_layer = (vec2(view, rest.y + phase) + 0.5 + 0.5 * corner) * cell / vec2(textureSize(normals, 0).xy);

    float angle = PI / YAWS * view;
    turn = times(instance_rotation, vec4(0.0, sin(angle), 0.0, cos(angle)));
    tint = instance_tint;
    fog = fog_amount(centre);
    float above = min(half_size.y / max(cos(elevation), 0.2), rest.x + cylinder.w);  // height at the upper edge
    float ground = frame.ground.z > 0.5 ? instance_place.y : frame.ground.x;
    height = centre.y - ground + instance_place.w * above * corner.y;
    up_body = 0.5 + 0.5 * above * corner.y / rest.x;
#ifdef SHADOWS
    // Use sample points on the sun's side, where the arms do not shade the body.
    vec3 outside = (0.5 * instance_place.w * cylinder.w) * frame.sun_direction.xyz;
    for (int i = 0; i < 4; ++i) {
        vec3 inside = cylinder.xyz + vec3(0.0, (0.5 * float(i) - 0.75) * rest.x, 0.0);
        sunlit_at[i] = sunlit_once(shadow_position(instance_point(inside) + outside));
    }
#endif
}
