.0:
    mov          r11,rsi
    sub          r11,rax
    jb           .out
    cmp          r11,0x8
    jb           .out
    mov          r11,rcx
    sub          r11,rax
    jb           .out
    cmp          r11,0x8
    jb           .out
    vpmovzxbq    ymm9,DWORD PTR [rdi+rax*1]
    vmovdqu      ymm10,YMMWORD PTR [rdx+rax*8]
    vpand        ymm11,ymm9,ymm3
    vmovdqa      ymm4,YMMWORD PTR [rsp+0x60]
    vpsllvq      ymm12,ymm4,ymm11
    vpcmpeqd     ymm0,ymm0,ymm0
    vpaddq       ymm13,ymm12,ymm0
    vpor         ymm14,ymm13,ymm12
    vmovdqa      ymm0,YMMWORD PTR [rsp+0xa0]
    vpsllvq      ymm15,ymm0,ymm11
    vpxor        xmm1,xmm1,xmm1
    vpsubq       ymm2,ymm1,ymm9
    vpand        ymm2,ymm2,ymm3
    vpsrlvq      ymm2,ymm0,ymm2
    vpor         ymm2,ymm15,ymm2
    vpand        ymm9,ymm9,ymm7
    vpsllvq      ymm9,ymm8,ymm9
    vpand        ymm15,ymm9,ymm10
    vpandn       ymm6,ymm14,ymm15
    vmovdqa      ymm1,YMMWORD PTR [rsp+0x20]
    vpsllvq      ymm11,ymm1,ymm11
    vpaddq       ymm6,ymm11,ymm6
    vpand        ymm11,ymm15,ymm13
    vpsrlq       ymm1,ymm11,0x1
    vpor         ymm1,ymm11,ymm1
    vpsrlq       ymm11,ymm1,0x2
    vpor         ymm1,ymm11,ymm1
    vpandn       ymm2,ymm12,ymm2
    vpand        ymm10,ymm10,ymm2
    vpsubq       ymm11,ymm10,ymm12
    vpshufb      ymm10,ymm10,ymm5
    vpshufb      ymm12,ymm12,ymm5
    vpsubq       ymm10,ymm10,ymm12
    vpshufb      ymm10,ymm10,ymm5
    vpxor        ymm10,ymm10,ymm11
    vpand        ymm2,ymm10,ymm2
    vpxor        ymm6,ymm15,ymm6
    vpandn       ymm6,ymm14,ymm6
    vpsrlq       ymm10,ymm1,0x5
    vpsrlq       ymm1,ymm1,0x1
    vpor         ymm1,ymm10,ymm1
    vpandn       ymm1,ymm1,ymm13
    vpor         ymm1,ymm1,ymm6
    vpand        ymm1,ymm9,ymm1
    vpor         ymm1,ymm1,ymm2
    vmovdqu      YMMWORD PTR [r8+rax*8],ymm1
    vpmovzxbq    ymm1,DWORD PTR [rdi+rax*1+0x4]
    vmovdqu      ymm2,YMMWORD PTR [rdx+rax*8+0x20]
    vpand        ymm6,ymm1,ymm3
    vpsllvq      ymm9,ymm4,ymm6
    vpcmpeqd     ymm4,ymm4,ymm4
    vpaddq       ymm10,ymm9,ymm4
    vpor         ymm11,ymm10,ymm9
    vpsllvq      ymm12,ymm0,ymm6
    vpxor        xmm4,xmm4,xmm4
    vpsubq       ymm13,ymm4,ymm1
    vpand        ymm13,ymm13,ymm3
    vpsrlvq      ymm13,ymm0,ymm13
    vpor         ymm12,ymm12,ymm13
    vpand        ymm1,ymm1,ymm7
    vpsllvq      ymm1,ymm8,ymm1
    vpand        ymm13,ymm1,ymm2
    vpandn       ymm14,ymm11,ymm13
    vmovdqa      ymm0,YMMWORD PTR [rsp+0x20]
    vpsllvq      ymm6,ymm0,ymm6
    vpaddq       ymm6,ymm14,ymm6
    vpand        ymm14,ymm13,ymm10
    vpsrlq       ymm15,ymm14,0x1
    vpor         ymm14,ymm15,ymm14
    vpsrlq       ymm15,ymm14,0x2
    vpor         ymm14,ymm15,ymm14
    vpandn       ymm12,ymm9,ymm12
    vpand        ymm2,ymm12,ymm2
    vpsubq       ymm15,ymm2,ymm9
    vpshufb      ymm2,ymm2,ymm5
    vpshufb      ymm9,ymm9,ymm5
    vpsubq       ymm2,ymm2,ymm9
    vpshufb      ymm2,ymm2,ymm5
    vpxor        ymm2,ymm15,ymm2
    vpand        ymm2,ymm12,ymm2
    vpxor        ymm6,ymm13,ymm6
    vpandn       ymm6,ymm11,ymm6
    vpsrlq       ymm9,ymm14,0x5
    vpsrlq       ymm11,ymm14,0x1
    vpor         ymm9,ymm9,ymm11
    vpandn       ymm9,ymm9,ymm10
    vpor         ymm6,ymm9,ymm6
    vpand        ymm1,ymm6,ymm1
    vpor         ymm1,ymm1,ymm2
    vmovdqu      YMMWORD PTR [r8+rax*8+0x20],ymm1
    cmp          rax,r10
    je           .out
    add          rax,0x8
    cmp          rax,r10
    cmovae       rax,r10
    mov          r11,r9
    sub          r11,rax
    cmp          r11,0x8
    jae          .0
