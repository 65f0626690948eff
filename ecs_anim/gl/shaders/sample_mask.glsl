// Which samples of its pixel a fragment covers, where shaders can say. To be included before all that is no directive.
#extension GL_ARB_sample_shading : enable

#ifdef GL_ARB_sample_shading
// So many of them: each actor begins with another, or those behind would never show through.
void cover(int count, int actor) {
    int turned = ((1 << count) - 1) << (actor % gl_NumSamples);
    gl_SampleMask[0] = turned | turned >> gl_NumSamples;
}
#endif
