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
    vpmovzxbq    ymm5,DWORD PTR [rdi+rax*1]
    vmovdqu      ymm14,YMMWORD PTR [rdx+rax*8]
    vpand        ymm2,ymm5,ymm7
    vpsllvq      ymm15,ymm13,ymm2
    vpcmpeqd     ymm0,ymm0,ymm0
    vpaddq       ymm1,ymm15,ymm0
    vmovdqa      ymm0,YMMWORD PTR [rsp+0x140]
    vpsllvq      ymm4,ymm0,ymm2
    vpxor        xmm6,xmm6,xmm6
    vpsubq       ymm6,ymm6,ymm5
    vpand        ymm6,ymm6,ymm7
    vpsrlvq      ymm6,ymm0,ymm6
    vpor         ymm4,ymm4,ymm6
    vpand        ymm5,ymm5,YMMWORD PTR [rsp+0x80]
    vmovdqa      ymm6,YMMWORD PTR [rsp+0x60]
    vpsllvq      ymm6,ymm6,ymm5
    vpand        ymm8,ymm14,ymm6
    vpand        ymm5,ymm8,ymm1
    vpsrlq       ymm9,ymm5,0x1
    vpor         ymm5,ymm9,ymm5
    vpsrlq       ymm9,ymm5,0x2
    vpor         ymm9,ymm9,ymm5
    vpandn       ymm10,ymm15,ymm4
    vpand        ymm5,ymm10,ymm14
    vpsubq       ymm11,ymm5,ymm15
    vpshufb      ymm12,ymm5,ymm3
    vpshufb      ymm5,ymm15,ymm3
    vpsubq       ymm12,ymm12,ymm5
    vpshufb      ymm12,ymm12,ymm3
    vpxor        ymm11,ymm12,ymm11
    vpandn       ymm12,ymm15,ymm8
    vpsubq       ymm12,ymm12,ymm15
    vpand        ymm10,ymm11,ymm10
    vpsrlq       ymm11,ymm9,0x5
    vpsrlq       ymm9,ymm9,0x1
    vpor         ymm9,ymm11,ymm9
    vpandn       ymm1,ymm9,ymm1
    vpxor        ymm8,ymm12,ymm8
    vpor         ymm1,ymm8,ymm1
    vpandn       ymm1,ymm15,ymm1
    vpand        ymm1,ymm1,ymm6
    vpaddq       ymm6,ymm4,YMMWORD PTR [rsp+0x40]
    vmovdqa      ymm8,YMMWORD PTR [rsp+0x20]
    vpsllvq      ymm8,ymm8,ymm2
    vmovdqa      ymm9,YMMWORD PTR [rsp+0x100]
    vpsubq       ymm4,ymm9,ymm4
    vpand        ymm8,ymm8,ymm4
    vpxor        ymm9,ymm2,ymm7
    vmovdqa      ymm11,YMMWORD PTR [rsp+0xe0]
    vpsrlvq      ymm11,ymm11,ymm9
    vpand        ymm11,ymm11,ymm6
    vpor         ymm8,ymm11,ymm8
    vmovdqa      ymm11,YMMWORD PTR [rsp+0xc0]
    vpsllvq      ymm2,ymm11,ymm2
    vpand        ymm2,ymm6,ymm2
    vmovdqa      ymm6,YMMWORD PTR [rsp+0xa0]
    vpsrlvq      ymm6,ymm6,ymm9
    vpand        ymm4,ymm6,ymm4
    vpor         ymm2,ymm4,ymm2
    vpand        ymm4,ymm8,ymm14
    vpsubq       ymm6,ymm4,ymm15
    vpshufb      ymm4,ymm4,ymm3
    vpsubq       ymm4,ymm4,ymm5
    vpshufb      ymm4,ymm4,ymm3
    vpxor        ymm4,ymm4,ymm6
    vpand        ymm4,ymm8,ymm4
    vpor         ymm4,ymm10,ymm4
    vpand        ymm6,ymm14,ymm2
    vpsubq       ymm8,ymm6,ymm15
    vpshufb      ymm6,ymm6,ymm3
    vpsubq       ymm5,ymm6,ymm5
    vpshufb      ymm5,ymm5,ymm3
    vpxor        ymm5,ymm8,ymm5
    vpand        ymm2,ymm5,ymm2
    vpor         ymm2,ymm4,ymm2
    vpor         ymm1,ymm2,ymm1
    vmovdqu      YMMWORD PTR [r8+rax*8],ymm1
    vpmovzxbq    ymm1,DWORD PTR [rdi+rax*1+0x4]
    vmovdqu      ymm14,YMMWORD PTR [rdx+rax*8+0x20]
    vpand        ymm2,ymm1,ymm7
    vpsllvq      ymm15,ymm13,ymm2
    vpcmpeqd     ymm4,ymm4,ymm4
    vpaddq       ymm4,ymm15,ymm4
    vpsllvq      ymm5,ymm0,ymm2
    vpxor        xmm6,xmm6,xmm6
    vpsubq       ymm6,ymm6,ymm1
    vpand        ymm6,ymm6,ymm7
    vpsrlvq      ymm6,ymm0,ymm6
    vpor         ymm6,ymm5,ymm6
    vpand        ymm1,ymm1,YMMWORD PTR [rsp+0x80]
    vmovdqa      ymm0,YMMWORD PTR [rsp+0x60]
    vpsllvq      ymm1,ymm0,ymm1
    vpand        ymm8,ymm14,ymm1
    vpand        ymm5,ymm8,ymm4
    vpsrlq       ymm9,ymm5,0x1
    vpor         ymm5,ymm9,ymm5
    vpsrlq       ymm9,ymm5,0x2
    vpor         ymm9,ymm9,ymm5
    vpandn       ymm10,ymm15,ymm6
    vpand        ymm5,ymm10,ymm14
    vpsubq       ymm11,ymm5,ymm15
    vpshufb      ymm12,ymm5,ymm3
    vpshufb      ymm5,ymm15,ymm3
    vpsubq       ymm12,ymm12,ymm5
    vpshufb      ymm12,ymm12,ymm3
    vpxor        ymm11,ymm12,ymm11
    vpand        ymm10,ymm11,ymm10
    vpsrlq       ymm11,ymm9,0x5
    vpsrlq       ymm9,ymm9,0x1
    vpor         ymm9,ymm11,ymm9
    vpandn       ymm11,ymm15,ymm8
    vpsubq       ymm11,ymm11,ymm15
    vpandn       ymm4,ymm9,ymm4
    vpxor        ymm8,ymm11,ymm8
    vpor         ymm4,ymm8,ymm4
    vpandn       ymm4,ymm15,ymm4
    vpand        ymm1,ymm4,ymm1
    vpaddq       ymm4,ymm6,YMMWORD PTR [rsp+0x40]
    vmovdqa      ymm0,YMMWORD PTR [rsp+0x20]
    vpsllvq      ymm8,ymm0,ymm2
    vmovdqa      ymm0,YMMWORD PTR [rsp+0x100]
    vpsubq       ymm6,ymm0,ymm6
    vpand        ymm8,ymm8,ymm6
    vpxor        ymm9,ymm2,ymm7
    vmovdqa      ymm0,YMMWORD PTR [rsp+0xe0]
    vpsrlvq      ymm11,ymm0,ymm9
    vpand        ymm11,ymm11,ymm4
    vpor         ymm8,ymm11,ymm8
    vmovdqa      ymm0,YMMWORD PTR [rsp+0xc0]
    vpsllvq      ymm2,ymm0,ymm2
    vpand        ymm2,ymm4,ymm2
    vmovdqa      ymm0,YMMWORD PTR [rsp+0xa0]
    vpsrlvq      ymm4,ymm0,ymm9
    vpand        ymm4,ymm4,ymm6
    vpor         ymm2,ymm4,ymm2
    vpand        ymm4,ymm8,ymm14
    vpsubq       ymm6,ymm4,ymm15
    vpshufb      ymm4,ymm4,ymm3
    vpsubq       ymm4,ymm4,ymm5
    vpshufb      ymm4,ymm4,ymm3
    vpxor        ymm4,ymm4,ymm6
    vpand        ymm4,ymm8,ymm4
    vpor         ymm4,ymm10,ymm4
    vpand        ymm6,ymm14,ymm2
    vpsubq       ymm8,ymm6,ymm15
    vpshufb      ymm6,ymm6,ymm3
    vpsubq       ymm5,ymm6,ymm5
    vpshufb      ymm5,ymm5,ymm3
    vpxor        ymm5,ymm8,ymm5
    vpand        ymm2,ymm5,ymm2
    vpor         ymm2,ymm4,ymm2
    vpor         ymm1,ymm2,ymm1
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
