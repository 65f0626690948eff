// The samples that a fragment covers. Some OpenGL implementations do not let shaders set these samples. Include this
// file before any code other than directives.
#extension GL_ARB_sample_shading : enable

#ifdef GL_ARB_sample_shading
// Cover this number of samples, 1 to 32. Each actor begins with a different sample, so that a faded actor does not
// cover exactly the samples of a faded actor behind.
void cover(int count, int actor) {
    uint samples = 0xFFFFFFFFu >> (32 - count);
    int start = actor % gl_NumSamples;
    gl_SampleMask[0] = int(samples << start | (start > 0 ? samples >> (gl_NumSamples - start) : 0u));
}
#endif
