// Samples that a fragment covers, if shaders can set them. Include this file before any code other than directives.
#extension GL_ARB_sample_shading : enable

#ifdef GL_ARB_sample_shading
// Return a mask with this number of samples. Each actor starts at another sample, so that actors behind it are visible.
void cover(int count, int actor) {
    int turned = ((1 << count) - 1) << (actor % gl_NumSamples);
    gl_SampleMask[0] = turned | turned >> gl_NumSamples;
}
#endif
