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
    vmovd        xmm12,DWORD PTR [rdi+rax*1]
    vmovdqu      ymm13,YMMWORD PTR [rdx+rax*8]
    vpmovzxbq    ymm14,xmm12
    vpand        ymm15,ymm14,ymm4
    vpsllvq      ymm15,ymm11,ymm15
    vpxor        xmm0,xmm0,xmm0
    vpsubq       ymm14,ymm0,ymm14
    vpand        ymm14,ymm14,ymm4
    vpsrlvq      ymm14,ymm11,ymm14
    vpor         ymm14,ymm15,ymm14
    vpaddq       ymm15,ymm14,ymm5
    vmovdqa      xmm1,XMMWORD PTR [const0]
    vpand        xmm12,xmm12,xmm1
    vpmovzxbq    ymm12,xmm12
    vpsllvq      ymm2,ymm6,ymm12
    vpsubq       ymm14,ymm7,ymm14
    vpand        ymm2,ymm14,ymm2
    vpxor        ymm9,ymm12,ymm4
    vpsrlvq      ymm3,ymm8,ymm9
    vpand        ymm3,ymm15,ymm3
    vpor         ymm2,ymm3,ymm2
    vpsllvq      ymm3,ymm10,ymm12
    vpand        ymm3,ymm15,ymm3
    vmovdqa      ymm1,YMMWORD PTR [rsp+0xe0]
    vpsrlvq      ymm9,ymm1,ymm9
    vpand        ymm9,ymm9,ymm14
    vpor         ymm3,ymm9,ymm3
    vmovdqa      ymm0,YMMWORD PTR [rsp+0x20]
    vpsllvq      ymm9,ymm0,ymm12
    vpand        ymm12,ymm13,ymm2
    vpsubq       ymm14,ymm12,ymm9
    vmovdqa      ymm0,YMMWORD PTR [const1]
    vpshufb      ymm12,ymm12,ymm0
    vpshufb      ymm15,ymm9,ymm0
    vpsubq       ymm12,ymm12,ymm15
    vpshufb      ymm12,ymm12,ymm0
    vpxor        ymm12,ymm12,ymm14
    vpand        ymm2,ymm12,ymm2
    vpand        ymm12,ymm13,ymm3
    vpsubq       ymm9,ymm12,ymm9
    vpshufb      ymm12,ymm12,ymm0
    vpsubq       ymm12,ymm12,ymm15
    vpshufb      ymm12,ymm12,ymm0
    vpxor        ymm9,ymm12,ymm9
    vpand        ymm3,ymm9,ymm3
    vpor         ymm2,ymm2,ymm3
    vmovdqu      YMMWORD PTR [r8+rax*8],ymm2
    vmovd        xmm2,DWORD PTR [rdi+rax*1+0x4]
    vmovdqu      ymm3,YMMWORD PTR [rdx+rax*8+0x20]
    vpmovzxbq    ymm9,xmm2
    vpand        ymm12,ymm9,ymm4
    vpsllvq      ymm12,ymm11,ymm12
    vpxor        xmm13,xmm13,xmm13
    vpsubq       ymm9,ymm13,ymm9
    vpand        ymm9,ymm9,ymm4
    vpsrlvq      ymm9,ymm11,ymm9
    vpor         ymm9,ymm12,ymm9
    vpaddq       ymm12,ymm9,ymm5
    vpand        xmm2,xmm2,XMMWORD PTR [const0]
    vpmovzxbq    ymm2,xmm2
    vpsllvq      ymm13,ymm6,ymm2
    vpsubq       ymm9,ymm7,ymm9
    vpand        ymm13,ymm13,ymm9
    vpxor        ymm14,ymm2,ymm4
    vpsrlvq      ymm15,ymm8,ymm14
    vpand        ymm15,ymm15,ymm12
    vpor         ymm13,ymm15,ymm13
    vpsllvq      ymm15,ymm10,ymm2
    vpand        ymm12,ymm15,ymm12
    vpsrlvq      ymm14,ymm1,ymm14
    vpand        ymm9,ymm14,ymm9
    vpor         ymm9,ymm9,ymm12
    vmovdqa      ymm1,YMMWORD PTR [rsp+0x20]
    vpsllvq      ymm2,ymm1,ymm2
    vpand        ymm12,ymm13,ymm3
    vpsubq       ymm14,ymm12,ymm2
    vpshufb      ymm12,ymm12,ymm0
    vpshufb      ymm15,ymm2,ymm0
    vpsubq       ymm12,ymm12,ymm15
    vpshufb      ymm12,ymm12,ymm0
    vpxor        ymm12,ymm12,ymm14
    vpand        ymm12,ymm12,ymm13
    vpand        ymm3,ymm9,ymm3
    vpsubq       ymm2,ymm3,ymm2
    vpshufb      ymm3,ymm3,ymm0
    vpsubq       ymm3,ymm3,ymm15
    vpshufb      ymm3,ymm3,ymm0
    vpxor        ymm2,ymm3,ymm2
    vpand        ymm2,ymm9,ymm2
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
