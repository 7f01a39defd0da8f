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
    vpmovzxbq    ymm1,DWORD PTR [rdi+rax*1]
    vmovdqu      ymm15,YMMWORD PTR [rdx+rax*8]
    vmovdqa      ymm8,YMMWORD PTR [rsp+0x180]
    vpand        ymm6,ymm8,ymm1
    vmovdqa      ymm0,YMMWORD PTR [rsp+0x80]
    vpsllvq      ymm2,ymm0,ymm6
    vpcmpeqd     ymm0,ymm0,ymm0
    vpaddq       ymm5,ymm2,ymm0
    vpor         ymm7,ymm5,ymm2
    vmovdqa      ymm12,YMMWORD PTR [rsp+0x160]
    vpsllvq      ymm4,ymm12,ymm6
    vpxor        xmm0,xmm0,xmm0
    vpsubq       ymm9,ymm0,ymm1
    vpand        ymm9,ymm9,ymm8
    vpsrlvq      ymm9,ymm12,ymm9
    vpor         ymm9,ymm9,ymm4
    vpand        ymm1,ymm1,YMMWORD PTR [rsp+0x60]
    vmovdqa      ymm0,YMMWORD PTR [rsp+0x40]
    vpsllvq      ymm10,ymm0,ymm1
    vpand        ymm11,ymm10,ymm15
    vpandn       ymm1,ymm7,ymm11
    vmovdqa      ymm0,YMMWORD PTR [rsp+0x20]
    vpsllvq      ymm4,ymm0,ymm6
    vpaddq       ymm0,ymm1,ymm4
    vmovdqa      YMMWORD PTR [rsp+0x1a0],ymm0
    vpand        ymm1,ymm11,ymm5
    vpsrlq       ymm4,ymm1,0x1
    vpor         ymm1,ymm4,ymm1
    vpsrlq       ymm4,ymm1,0x2
    vpor         ymm13,ymm4,ymm1
    vpandn       ymm4,ymm2,ymm9
    vpand        ymm1,ymm15,ymm4
    vpsubq       ymm14,ymm1,ymm2
    vmovdqa      ymm0,YMMWORD PTR [const0]
    vpshufb      ymm3,ymm1,ymm0
    vpshufb      ymm1,ymm2,ymm0
    vpsubq       ymm3,ymm3,ymm1
    vpshufb      ymm3,ymm3,ymm0
    vpxor        ymm3,ymm14,ymm3
    vpand        ymm4,ymm3,ymm4
    vpxor        ymm3,ymm11,YMMWORD PTR [rsp+0x1a0]
    vpandn       ymm3,ymm7,ymm3
    vpsrlq       ymm7,ymm13,0x5
    vpsrlq       ymm11,ymm13,0x1
    vpor         ymm7,ymm11,ymm7
    vpandn       ymm5,ymm7,ymm5
    vpor         ymm3,ymm5,ymm3
    vpand        ymm3,ymm10,ymm3
    vpaddq       ymm5,ymm9,YMMWORD PTR [rsp+0x140]
    vmovdqa      ymm7,YMMWORD PTR [rsp+0x120]
    vpsllvq      ymm7,ymm7,ymm6
    vmovdqa      ymm10,YMMWORD PTR [rsp+0x100]
    vpsubq       ymm9,ymm10,ymm9
    vpand        ymm7,ymm9,ymm7
    vpxor        ymm10,ymm8,ymm6
    vmovdqa      ymm11,YMMWORD PTR [rsp+0xe0]
    vpsrlvq      ymm11,ymm11,ymm10
    vpand        ymm11,ymm11,ymm5
    vpor         ymm7,ymm11,ymm7
    vmovdqa      ymm11,YMMWORD PTR [rsp+0xc0]
    vpsllvq      ymm6,ymm11,ymm6
    vpand        ymm5,ymm6,ymm5
    vmovdqa      ymm6,YMMWORD PTR [rsp+0xa0]
    vpsrlvq      ymm6,ymm6,ymm10
    vpand        ymm6,ymm9,ymm6
    vpor         ymm5,ymm6,ymm5
    vpand        ymm6,ymm15,ymm7
    vpsubq       ymm9,ymm6,ymm2
    vpshufb      ymm6,ymm6,ymm0
    vpsubq       ymm6,ymm6,ymm1
    vpshufb      ymm6,ymm6,ymm0
    vpxor        ymm6,ymm9,ymm6
    vpand        ymm6,ymm6,ymm7
    vpor         ymm3,ymm6,ymm3
    vpand        ymm6,ymm15,ymm5
    vpsubq       ymm2,ymm6,ymm2
    vpshufb      ymm6,ymm6,ymm0
    vpsubq       ymm1,ymm6,ymm1
    vpshufb      ymm1,ymm1,ymm0
    vpxor        ymm1,ymm1,ymm2
    vpand        ymm1,ymm1,ymm5
    vpor         ymm1,ymm1,ymm4
    vpor         ymm1,ymm1,ymm3
    vmovdqu      YMMWORD PTR [r8+rax*8],ymm1
    vpmovzxbq    ymm1,DWORD PTR [rdi+rax*1+0x4]
    vmovdqu      ymm15,YMMWORD PTR [rdx+rax*8+0x20]
    vpand        ymm6,ymm8,ymm1
    vmovdqa      ymm2,YMMWORD PTR [rsp+0x80]
    vpsllvq      ymm2,ymm2,ymm6
    vpcmpeqd     ymm3,ymm3,ymm3
    vpaddq       ymm3,ymm2,ymm3
    vpor         ymm5,ymm3,ymm2
    vpsllvq      ymm4,ymm12,ymm6
    vpxor        xmm7,xmm7,xmm7
    vpsubq       ymm7,ymm7,ymm1
    vpand        ymm7,ymm8,ymm7
    vpsrlvq      ymm7,ymm12,ymm7
    vpor         ymm7,ymm4,ymm7
    vpand        ymm1,ymm1,YMMWORD PTR [rsp+0x60]
    vmovdqa      ymm4,YMMWORD PTR [rsp+0x40]
    vpsllvq      ymm9,ymm4,ymm1
    vpand        ymm10,ymm9,ymm15
    vpandn       ymm1,ymm5,ymm10
    vmovdqa      ymm4,YMMWORD PTR [rsp+0x20]
    vpsllvq      ymm4,ymm4,ymm6
    vpaddq       ymm11,ymm1,ymm4
    vpand        ymm1,ymm10,ymm3
    vpsrlq       ymm4,ymm1,0x1
    vpor         ymm1,ymm4,ymm1
    vpsrlq       ymm4,ymm1,0x2
    vpor         ymm12,ymm4,ymm1
    vpandn       ymm4,ymm2,ymm7
    vpand        ymm1,ymm15,ymm4
    vpsubq       ymm13,ymm1,ymm2
    vpshufb      ymm14,ymm1,ymm0
    vpshufb      ymm1,ymm2,ymm0
    vpsubq       ymm14,ymm14,ymm1
    vpshufb      ymm14,ymm14,ymm0
    vpxor        ymm13,ymm14,ymm13
    vpand        ymm4,ymm13,ymm4
    vpxor        ymm10,ymm11,ymm10
    vpandn       ymm5,ymm5,ymm10
    vpsrlq       ymm10,ymm12,0x5
    vpsrlq       ymm11,ymm12,0x1
    vpor         ymm10,ymm10,ymm11
    vpandn       ymm3,ymm10,ymm3
    vpor         ymm3,ymm3,ymm5
    vpand        ymm3,ymm9,ymm3
    vpaddq       ymm5,ymm7,YMMWORD PTR [rsp+0x140]
    vmovdqa      ymm9,YMMWORD PTR [rsp+0x120]
    vpsllvq      ymm9,ymm9,ymm6
    vmovdqa      ymm10,YMMWORD PTR [rsp+0x100]
    vpsubq       ymm7,ymm10,ymm7
    vpand        ymm9,ymm9,ymm7
    vpxor        ymm10,ymm8,ymm6
    vmovdqa      ymm8,YMMWORD PTR [rsp+0xe0]
    vpsrlvq      ymm11,ymm8,ymm10
    vpand        ymm11,ymm11,ymm5
    vpor         ymm9,ymm11,ymm9
    vmovdqa      ymm8,YMMWORD PTR [rsp+0xc0]
    vpsllvq      ymm6,ymm8,ymm6
    vpand        ymm5,ymm6,ymm5
    vmovdqa      ymm6,YMMWORD PTR [rsp+0xa0]
    vpsrlvq      ymm6,ymm6,ymm10
    vpand        ymm6,ymm6,ymm7
    vpor         ymm5,ymm6,ymm5
    vpand        ymm6,ymm9,ymm15
    vpsubq       ymm7,ymm6,ymm2
    vpshufb      ymm6,ymm6,ymm0
    vpsubq       ymm6,ymm6,ymm1
    vpshufb      ymm6,ymm6,ymm0
    vpxor        ymm6,ymm6,ymm7
    vpand        ymm6,ymm9,ymm6
    vpor         ymm3,ymm6,ymm3
    vpand        ymm6,ymm15,ymm5
    vpsubq       ymm2,ymm6,ymm2
    vpshufb      ymm6,ymm6,ymm0
    vpsubq       ymm1,ymm6,ymm1
    vpshufb      ymm1,ymm1,ymm0
    vpxor        ymm1,ymm1,ymm2
    vpand        ymm1,ymm1,ymm5
    vpor         ymm1,ymm1,ymm4
    vpor         ymm1,ymm1,ymm3
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
