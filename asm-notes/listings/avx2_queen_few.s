.0:
    mov          rbx,rcx
    sub          rbx,rax
    jb           .out
    cmp          rbx,0x8
    jb           .out
    mov          rbx,r9
    sub          rbx,rax
    jb           .out
    cmp          rbx,0x8
    jb           .out
    vpmovzxbq    ymm1,DWORD PTR [rdi+rax*1]
    vmovdqu      ymm15,YMMWORD PTR [rdx+rax*8]
    vpand        ymm4,ymm13,ymm1
    vmovdqa      ymm0,YMMWORD PTR [rsp+0x80]
    vpsllvq      ymm2,ymm0,ymm4
    vpcmpeqd     ymm0,ymm0,ymm0
    vpaddq       ymm6,ymm2,ymm0
    vpor         ymm7,ymm6,ymm2
    vmovdqa      ymm11,YMMWORD PTR [rsp+0x160]
    vpsllvq      ymm5,ymm11,ymm4
    vpxor        xmm0,xmm0,xmm0
    vpsubq       ymm8,ymm0,ymm1
    vpand        ymm8,ymm8,ymm13
    vpsrlvq      ymm8,ymm11,ymm8
    vpor         ymm8,ymm8,ymm5
    vpand        ymm1,ymm1,YMMWORD PTR [rsp+0x60]
    vmovdqa      ymm0,YMMWORD PTR [rsp+0x40]
    vpsllvq      ymm9,ymm0,ymm1
    vpand        ymm10,ymm9,ymm15
    vpandn       ymm1,ymm7,ymm10
    vmovdqa      ymm0,YMMWORD PTR [rsp+0x20]
    vpsllvq      ymm5,ymm0,ymm4
    vpaddq       ymm0,ymm1,ymm5
    vmovdqa      YMMWORD PTR [rsp+0x1a0],ymm0
    vpand        ymm1,ymm10,ymm6
    vpsrlq       ymm5,ymm1,0x1
    vpor         ymm1,ymm5,ymm1
    vpsrlq       ymm5,ymm1,0x2
    vpor         ymm12,ymm5,ymm1
    vpandn       ymm5,ymm2,ymm8
    vpand        ymm1,ymm15,ymm5
    vpsubq       ymm14,ymm1,ymm2
    vmovdqa      ymm0,YMMWORD PTR [const0]
    vpshufb      ymm3,ymm1,ymm0
    vpshufb      ymm1,ymm2,ymm0
    vpsubq       ymm3,ymm3,ymm1
    vpshufb      ymm3,ymm3,ymm0
    vpxor        ymm3,ymm14,ymm3
    vpand        ymm5,ymm3,ymm5
    vpxor        ymm3,ymm10,YMMWORD PTR [rsp+0x1a0]
    vpandn       ymm3,ymm7,ymm3
    vpsrlq       ymm7,ymm12,0x5
    vpsrlq       ymm10,ymm12,0x1
    vpor         ymm7,ymm10,ymm7
    vpandn       ymm6,ymm7,ymm6
    vpor         ymm3,ymm6,ymm3
    vpand        ymm3,ymm9,ymm3
    vpaddq       ymm6,ymm8,YMMWORD PTR [rsp+0x140]
    vmovdqa      ymm7,YMMWORD PTR [rsp+0x120]
    vpsllvq      ymm7,ymm7,ymm4
    vmovdqa      ymm9,YMMWORD PTR [rsp+0x100]
    vpsubq       ymm8,ymm9,ymm8
    vpand        ymm7,ymm8,ymm7
    vpxor        ymm9,ymm13,ymm4
    vmovdqa      ymm10,YMMWORD PTR [rsp+0xe0]
    vpsrlvq      ymm10,ymm10,ymm9
    vpand        ymm10,ymm10,ymm6
    vpor         ymm7,ymm10,ymm7
    vmovdqa      ymm10,YMMWORD PTR [rsp+0xc0]
    vpsllvq      ymm4,ymm10,ymm4
    vpand        ymm4,ymm4,ymm6
    vmovdqa      ymm6,YMMWORD PTR [rsp+0xa0]
    vpsrlvq      ymm6,ymm6,ymm9
    vpand        ymm6,ymm8,ymm6
    vpor         ymm4,ymm6,ymm4
    vpand        ymm6,ymm15,ymm7
    vpsubq       ymm8,ymm6,ymm2
    vpshufb      ymm6,ymm6,ymm0
    vpsubq       ymm6,ymm6,ymm1
    vpshufb      ymm6,ymm6,ymm0
    vpxor        ymm6,ymm8,ymm6
    vpand        ymm6,ymm6,ymm7
    vpor         ymm3,ymm6,ymm3
    vpand        ymm6,ymm15,ymm4
    vpsubq       ymm2,ymm6,ymm2
    vpshufb      ymm6,ymm6,ymm0
    vpsubq       ymm1,ymm6,ymm1
    vpshufb      ymm1,ymm1,ymm0
    vpxor        ymm1,ymm1,ymm2
    vpand        ymm1,ymm1,ymm4
    vpor         ymm1,ymm1,ymm5
    vpor         ymm1,ymm1,ymm3
    vmovdqu      YMMWORD PTR [r8+rax*8],ymm1
    vpmovzxbq    ymm1,DWORD PTR [r11+0x4]
    vmovdqu      ymm15,YMMWORD PTR [rdx+rax*8+0x20]
    vpand        ymm4,ymm13,ymm1
    vmovdqa      ymm2,YMMWORD PTR [rsp+0x80]
    vpsllvq      ymm2,ymm2,ymm4
    vpcmpeqd     ymm3,ymm3,ymm3
    vpaddq       ymm3,ymm2,ymm3
    vpor         ymm6,ymm3,ymm2
    vpsllvq      ymm5,ymm11,ymm4
    vpxor        xmm7,xmm7,xmm7
    vpsubq       ymm7,ymm7,ymm1
    vpand        ymm7,ymm13,ymm7
    vpsrlvq      ymm7,ymm11,ymm7
    vpor         ymm7,ymm5,ymm7
    vpand        ymm1,ymm1,YMMWORD PTR [rsp+0x60]
    vmovdqa      ymm5,YMMWORD PTR [rsp+0x40]
    vpsllvq      ymm8,ymm5,ymm1
    vpand        ymm9,ymm8,ymm15
    vpandn       ymm1,ymm6,ymm9
    vmovdqa      ymm5,YMMWORD PTR [rsp+0x20]
    vpsllvq      ymm5,ymm5,ymm4
    vpaddq       ymm10,ymm1,ymm5
    vpand        ymm1,ymm9,ymm3
    vpsrlq       ymm5,ymm1,0x1
    vpor         ymm1,ymm5,ymm1
    vpsrlq       ymm5,ymm1,0x2
    vpor         ymm11,ymm5,ymm1
    vpandn       ymm5,ymm2,ymm7
    vpand        ymm1,ymm15,ymm5
    vpsubq       ymm12,ymm1,ymm2
    vpshufb      ymm14,ymm1,ymm0
    vpshufb      ymm1,ymm2,ymm0
    vpsubq       ymm14,ymm14,ymm1
    vpshufb      ymm14,ymm14,ymm0
    vpxor        ymm12,ymm14,ymm12
    vpand        ymm5,ymm12,ymm5
    vpxor        ymm9,ymm10,ymm9
    vpandn       ymm6,ymm6,ymm9
    vpsrlq       ymm9,ymm11,0x5
    vpsrlq       ymm10,ymm11,0x1
    vpor         ymm9,ymm9,ymm10
    vpandn       ymm3,ymm9,ymm3
    vpor         ymm3,ymm3,ymm6
    vpand        ymm3,ymm8,ymm3
    vpaddq       ymm6,ymm7,YMMWORD PTR [rsp+0x140]
    vmovdqa      ymm8,YMMWORD PTR [rsp+0x120]
    vpsllvq      ymm8,ymm8,ymm4
    vmovdqa      ymm9,YMMWORD PTR [rsp+0x100]
    vpsubq       ymm7,ymm9,ymm7
    vpand        ymm8,ymm8,ymm7
    vpxor        ymm9,ymm13,ymm4
    vmovdqa      ymm10,YMMWORD PTR [rsp+0xe0]
    vpsrlvq      ymm10,ymm10,ymm9
    vpand        ymm10,ymm10,ymm6
    vpor         ymm8,ymm10,ymm8
    vmovdqa      ymm10,YMMWORD PTR [rsp+0xc0]
    vpsllvq      ymm4,ymm10,ymm4
    vpand        ymm4,ymm4,ymm6
    vmovdqa      ymm6,YMMWORD PTR [rsp+0xa0]
    vpsrlvq      ymm6,ymm6,ymm9
    vpand        ymm6,ymm6,ymm7
    vpor         ymm4,ymm6,ymm4
    vpand        ymm6,ymm8,ymm15
    vpsubq       ymm7,ymm6,ymm2
    vpshufb      ymm6,ymm6,ymm0
    vpsubq       ymm6,ymm6,ymm1
    vpshufb      ymm6,ymm6,ymm0
    vpxor        ymm6,ymm6,ymm7
    vpand        ymm6,ymm8,ymm6
    vpor         ymm3,ymm6,ymm3
    vpand        ymm6,ymm15,ymm4
    vpsubq       ymm2,ymm6,ymm2
    vpshufb      ymm6,ymm6,ymm0
    vpsubq       ymm1,ymm6,ymm1
    vpshufb      ymm1,ymm1,ymm0
    vpxor        ymm1,ymm1,ymm2
    vpand        ymm1,ymm1,ymm4
    vpor         ymm1,ymm1,ymm5
    vpor         ymm1,ymm1,ymm3
    vmovdqu      YMMWORD PTR [r8+rax*8+0x20],ymm1
    cmp          rax,r10
    je           .out
    add          rax,0x8
    cmp          rax,r10
    cmovae       rax,r10
    mov          rbx,rsi
    sub          rbx,rax
    lea          r11,[rdi+rax*1]
    cmp          rbx,0x8
    jae          .0
