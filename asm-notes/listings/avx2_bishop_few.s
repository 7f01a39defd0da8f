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
    vmovdqu      ymm11,YMMWORD PTR [rdx+rax*8]
    vpmovzxbq    ymm12,DWORD PTR [rdi+rax*1]
    vmovdqa      ymm0,YMMWORD PTR [rsp+0xa0]
    vpand        ymm13,ymm12,ymm0
    vpsllvq      ymm14,ymm10,ymm13
    vpxor        xmm1,xmm1,xmm1
    vpsubq       ymm12,ymm1,ymm12
    vpand        ymm12,ymm12,ymm0
    vpsrlvq      ymm12,ymm10,ymm12
    vpor         ymm12,ymm14,ymm12
    vpaddq       ymm14,ymm12,ymm3
    vpsllvq      ymm15,ymm4,ymm13
    vpsubq       ymm12,ymm5,ymm12
    vpand        ymm15,ymm12,ymm15
    vpxor        ymm8,ymm13,ymm0
    vpsrlvq      ymm2,ymm6,ymm8
    vpand        ymm2,ymm14,ymm2
    vpor         ymm2,ymm15,ymm2
    vpsllvq      ymm15,ymm7,ymm13
    vpand        ymm14,ymm14,ymm15
    vpsrlvq      ymm8,ymm9,ymm8
    vpand        ymm8,ymm8,ymm12
    vpor         ymm8,ymm8,ymm14
    vmovdqa      ymm1,YMMWORD PTR [rsp+0x20]
    vpsllvq      ymm12,ymm1,ymm13
    vpand        ymm13,ymm11,ymm2
    vpsubq       ymm14,ymm13,ymm12
    vmovdqa      ymm1,YMMWORD PTR [const0]
    vpshufb      ymm13,ymm13,ymm1
    vpshufb      ymm15,ymm12,ymm1
    vpsubq       ymm13,ymm13,ymm15
    vpshufb      ymm13,ymm13,ymm1
    vpxor        ymm13,ymm13,ymm14
    vpand        ymm2,ymm13,ymm2
    vpand        ymm11,ymm8,ymm11
    vpsubq       ymm12,ymm11,ymm12
    vpshufb      ymm11,ymm11,ymm1
    vpsubq       ymm11,ymm11,ymm15
    vpshufb      ymm11,ymm11,ymm1
    vpxor        ymm11,ymm11,ymm12
    vpand        ymm8,ymm11,ymm8
    vpor         ymm2,ymm8,ymm2
    vmovdqu      YMMWORD PTR [r8+rax*8],ymm2
    vmovdqu      ymm2,YMMWORD PTR [rdx+rax*8+0x20]
    vpmovzxbq    ymm8,DWORD PTR [rdi+rax*1+0x4]
    vpand        ymm11,ymm8,ymm0
    vpsllvq      ymm12,ymm10,ymm11
    vpxor        xmm13,xmm13,xmm13
    vpsubq       ymm8,ymm13,ymm8
    vpand        ymm8,ymm8,ymm0
    vpsrlvq      ymm8,ymm10,ymm8
    vpor         ymm8,ymm12,ymm8
    vpaddq       ymm12,ymm8,ymm3
    vpsllvq      ymm13,ymm4,ymm11
    vpsubq       ymm8,ymm5,ymm8
    vpand        ymm13,ymm8,ymm13
    vpxor        ymm14,ymm11,ymm0
    vpsrlvq      ymm15,ymm6,ymm14
    vpand        ymm15,ymm15,ymm12
    vpor         ymm13,ymm15,ymm13
    vpsllvq      ymm15,ymm7,ymm11
    vpand        ymm12,ymm12,ymm15
    vpsrlvq      ymm14,ymm9,ymm14
    vpand        ymm8,ymm14,ymm8
    vpor         ymm8,ymm8,ymm12
    vmovdqa      ymm0,YMMWORD PTR [rsp+0x20]
    vpsllvq      ymm11,ymm0,ymm11
    vpand        ymm12,ymm13,ymm2
    vpsubq       ymm14,ymm12,ymm11
    vpshufb      ymm12,ymm12,ymm1
    vpshufb      ymm15,ymm11,ymm1
    vpsubq       ymm12,ymm12,ymm15
    vpshufb      ymm12,ymm12,ymm1
    vpxor        ymm12,ymm12,ymm14
    vpand        ymm12,ymm12,ymm13
    vpand        ymm2,ymm8,ymm2
    vpsubq       ymm11,ymm2,ymm11
    vpshufb      ymm2,ymm2,ymm1
    vpsubq       ymm2,ymm2,ymm15
    vpshufb      ymm2,ymm2,ymm1
    vpxor        ymm2,ymm11,ymm2
    vpand        ymm2,ymm8,ymm2
    vpor         ymm2,ymm12,ymm2
    vmovdqu      YMMWORD PTR [r8+rax*8+0x20],ymm2
    cmp          rax,r10
    je           .out
    add          rax,0x8
    cmp          rax,r10
    cmovae       rax,r10
    mov          r11,r9
    sub          r11,rax
    cmp          r11,0x8
    jae          .0
