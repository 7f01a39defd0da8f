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
    vmovd        xmm12,DWORD PTR [rdi+rax*1]
    vmovdqu      ymm13,YMMWORD PTR [rdx+rax*8]
    vpmovzxbq    ymm14,xmm12
    vmovdqa      ymm0,YMMWORD PTR [rsp+0x40]
    vpand        ymm15,ymm14,ymm0
    vpsllvq      ymm15,ymm11,ymm15
    vpxor        xmm1,xmm1,xmm1
    vpsubq       ymm14,ymm1,ymm14
    vpand        ymm14,ymm14,ymm0
    vpsrlvq      ymm14,ymm11,ymm14
    vpor         ymm14,ymm15,ymm14
    vpaddq       ymm15,ymm14,ymm5
    vmovdqa      xmm7,XMMWORD PTR [const0]
    vpand        xmm12,xmm12,xmm7
    vpmovzxbq    ymm12,xmm12
    vpsllvq      ymm3,ymm8,ymm12
    vpsubq       ymm14,ymm9,ymm14
    vpand        ymm3,ymm14,ymm3
    vpxor        ymm4,ymm12,ymm0
    vpsrlvq      ymm2,ymm10,ymm4
    vpand        ymm2,ymm15,ymm2
    vpor         ymm2,ymm2,ymm3
    vmovdqa      ymm1,YMMWORD PTR [rsp+0x20]
    vpsllvq      ymm3,ymm1,ymm12
    vpand        ymm3,ymm15,ymm3
    vpsrlvq      ymm4,ymm6,ymm4
    vpand        ymm4,ymm14,ymm4
    vpor         ymm3,ymm4,ymm3
    vmovdqa      ymm7,YMMWORD PTR [rsp+0x60]
    vpsllvq      ymm4,ymm7,ymm12
    vpand        ymm12,ymm13,ymm2
    vpsubq       ymm14,ymm12,ymm4
    vmovdqa      ymm1,YMMWORD PTR [const1]
    vpshufb      ymm12,ymm12,ymm1
    vpshufb      ymm15,ymm4,ymm1
    vpsubq       ymm12,ymm12,ymm15
    vpshufb      ymm12,ymm12,ymm1
    vpxor        ymm12,ymm12,ymm14
    vpand        ymm2,ymm12,ymm2
    vpand        ymm12,ymm13,ymm3
    vpsubq       ymm4,ymm12,ymm4
    vpshufb      ymm12,ymm12,ymm1
    vpsubq       ymm12,ymm12,ymm15
    vpshufb      ymm12,ymm12,ymm1
    vpxor        ymm4,ymm12,ymm4
    vpand        ymm3,ymm4,ymm3
    vpor         ymm2,ymm2,ymm3
    vmovdqu      YMMWORD PTR [r8+rax*8],ymm2
    vmovd        xmm2,DWORD PTR [r11+0x4]
    vmovdqu      ymm3,YMMWORD PTR [rdx+rax*8+0x20]
    vpmovzxbq    ymm4,xmm2
    vpand        ymm12,ymm4,ymm0
    vpsllvq      ymm12,ymm11,ymm12
    vpxor        xmm13,xmm13,xmm13
    vpsubq       ymm4,ymm13,ymm4
    vpand        ymm4,ymm4,ymm0
    vpsrlvq      ymm4,ymm11,ymm4
    vpor         ymm4,ymm12,ymm4
    vpaddq       ymm12,ymm4,ymm5
    vpand        xmm2,xmm2,XMMWORD PTR [const0]
    vpmovzxbq    ymm2,xmm2
    vpsllvq      ymm13,ymm8,ymm2
    vpsubq       ymm4,ymm9,ymm4
    vpand        ymm13,ymm13,ymm4
    vpxor        ymm14,ymm2,ymm0
    vpsrlvq      ymm15,ymm10,ymm14
    vpand        ymm15,ymm15,ymm12
    vpor         ymm13,ymm15,ymm13
    vmovdqa      ymm0,YMMWORD PTR [rsp+0x20]
    vpsllvq      ymm15,ymm0,ymm2
    vpand        ymm12,ymm15,ymm12
    vpsrlvq      ymm14,ymm6,ymm14
    vpand        ymm4,ymm14,ymm4
    vpor         ymm4,ymm12,ymm4
    vpsllvq      ymm2,ymm7,ymm2
    vpand        ymm12,ymm13,ymm3
    vpsubq       ymm14,ymm12,ymm2
    vpshufb      ymm12,ymm12,ymm1
    vpshufb      ymm15,ymm2,ymm1
    vpsubq       ymm12,ymm12,ymm15
    vpshufb      ymm12,ymm12,ymm1
    vpxor        ymm12,ymm12,ymm14
    vpand        ymm12,ymm12,ymm13
    vpand        ymm3,ymm4,ymm3
    vpsubq       ymm2,ymm3,ymm2
    vpshufb      ymm3,ymm3,ymm1
    vpsubq       ymm3,ymm3,ymm15
    vpshufb      ymm3,ymm3,ymm1
    vpxor        ymm2,ymm3,ymm2
    vpand        ymm2,ymm2,ymm4
    vpor         ymm2,ymm12,ymm2
    vmovdqu      YMMWORD PTR [r8+rax*8+0x20],ymm2
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
