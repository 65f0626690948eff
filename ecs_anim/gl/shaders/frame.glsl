// Data that all passes of one picture share. ecs_anim/gl/model/frame.py writes these fields in this order.
layout(std140) uniform Frame {
    mat4 view_projection;
    mat4 inverse_view_projection;
    vec4 eye;            // xyz [m]; w depth of the near plane if view rays are parallel [m]
    vec4 sun_direction;  // xyz unit, towards the sun
    vec4 sun_color;      // rgb linear
    vec4 sky_color;      // rgb linear, light from straight above
    vec4 bounce_color;   // rgb linear, light from straight below
    vec4 zenith_color;   // rgb linear, background
    vec4 horizon_color;  // rgb linear, background and fog
    vec4 fog;            // x start, y end: horizontal distance from the eye [m]; z time of ripples [s];
                         // w depths from the near to the far plane [m] if view rays are parallel, otherwise 0
    vec4 ground;         // x height [m], y 1 = ground exists, z 1 = uneven; w wetness 0 to 1
    vec4 ground_color;   // rgb linear
    vec4 line_color;     // rgb linear
    vec4 shadow_rows[3]; // world to the sun's shadow map, three rows of four
    vec4 shadow;         // x texel size (map size 1), y texel size [m], z 1 = map is used, w bias
} frame;
