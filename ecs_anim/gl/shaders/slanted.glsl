// Filter for ground textures at a grazing angle. At a grazing angle, a pixel covers more texels in one direction than
// in the other direction. A single look-up with the size of the longer direction would blur lines. GPUs have a filter
// for this case (anisotropic filtering), but the filter of the software renderer llvmpipe takes four times as long as
// this code.
const float MOST_LOOKS = 8.0;  // largest number of look-ups in the longer direction

vec4 slanted_texture(sampler2D image, vec2 uv) {
    vec2 across = dFdx(uv), up = dFdy(uv), texels = vec2(textureSize(image, 0));
    float wide = max(length(across * texels), 1e-6), high = max(length(up * texels), 1e-6);
    float longer = max(wide, high);
    float looks = clamp(floor(longer / min(wide, high) + 0.5), 1.0, MOST_LOOKS);
    float level = log2(longer / looks);
    vec2 part = (wide > high ? across : up) / looks, at = uv - 0.5 * (looks - 1.0) * part;
    vec4 sum = textureLod(image, at, level);
    for (float look = 1.0; look < looks; look += 1.0) sum += textureLod(image, at + look * part, level);
    return sum / looks;
}
