.0:
    mov          r10,r12
    sub          r10,rdi
    jb           .out
    cmp          r10,0x10
    jb           .out
    mov          r10,rdx
    sub          r10,rdi
    jb           .out
    cmp          r10,0x10
    jb           .out
    movdqu       xmm9,XMMWORD PTR [r9]
    movdqu       xmm0,XMMWORD PTR [rbp+rdi*8+0x0]
    movdqu       xmm1,XMMWORD PTR [rbp+rdi*8+0x10]
    movdqu       xmm5,XMMWORD PTR [rbp+rdi*8+0x20]
    movdqu       xmm3,XMMWORD PTR [rbp+rdi*8+0x30]
    movdqu       xmm6,XMMWORD PTR [rbp+rdi*8+0x50]
    movdqu       xmm7,XMMWORD PTR [rbp+rdi*8+0x60]
    movdqu       xmm8,XMMWORD PTR [rbp+rdi*8+0x70]
    movdqu       xmm4,XMMWORD PTR [rbp+rdi*8+0x40]
    movdqa       xmm2,xmm0
    punpcklbw    xmm2,xmm4
    punpckhbw    xmm0,xmm4
    movdqa       xmm4,xmm1
    punpcklbw    xmm4,xmm6
    punpckhbw    xmm1,xmm6
    movdqa       xmm6,xmm5
    punpcklbw    xmm6,xmm7
    punpckhbw    xmm5,xmm7
    movdqa       xmm7,xmm3
    punpcklbw    xmm7,xmm8
    punpckhbw    xmm3,xmm8
    movdqa       xmm13,xmm2
    punpcklbw    xmm13,xmm6
    punpckhbw    xmm2,xmm6
    movdqa       xmm6,xmm4
    punpcklbw    xmm6,xmm7
    punpckhbw    xmm4,xmm7
    movdqa       xmm7,xmm0
    punpcklbw    xmm7,xmm5
    punpckhbw    xmm0,xmm5
    movdqa       xmm5,xmm1
    punpcklbw    xmm5,xmm3
    punpckhbw    xmm1,xmm3
    movdqa       xmm15,xmm13
    punpcklbw    xmm15,xmm6
    punpckhbw    xmm13,xmm6
    movdqa       xmm11,xmm2
    punpcklbw    xmm11,xmm4
    punpckhbw    xmm2,xmm4
    movdqa       xmm3,xmm7
    punpcklbw    xmm3,xmm5
    punpckhbw    xmm7,xmm5
    movdqa       xmm4,xmm0
    punpcklbw    xmm4,xmm1
    punpckhbw    xmm0,xmm1
    movdqa       xmm1,xmm15
    punpcklbw    xmm1,xmm3
    movdqa       XMMWORD PTR [rsp+0x1d0],xmm1
    punpckhbw    xmm15,xmm3
    movdqa       xmm10,xmm13
    punpcklbw    xmm10,xmm7
    movdqa       XMMWORD PTR [rsp],xmm10
    punpckhbw    xmm13,xmm7
    movdqa       xmm1,xmm11
    punpcklbw    xmm1,xmm4
    movdqa       xmm12,xmm1
    movdqa       XMMWORD PTR [rsp+0x40],xmm1
    punpckhbw    xmm11,xmm4
    movdqa       xmm1,xmm2
    punpcklbw    xmm1,xmm0
    movdqa       XMMWORD PTR [rsp+0x30],xmm1
    punpckhbw    xmm2,xmm0
    movdqa       xmm3,XMMWORD PTR [const0]
    pshufb       xmm3,xmm9
    movdqa       xmm8,XMMWORD PTR [const1]
    pand         xmm9,xmm8
    movdqa       xmm0,xmm9
    pxor         xmm4,xmm4
    pcmpeqb      xmm0,xmm4
    movdqa       xmm1,xmm0
    movdqa       XMMWORD PTR [rsp+0x80],xmm0
    movdqa       xmm0,xmm9
    movdqa       xmm8,xmm9
    pcmpeqb      xmm0,XMMWORD PTR [const2]
    movdqa       xmm5,xmm0
    movdqa       XMMWORD PTR [rsp+0x180],xmm0
    movdqa       xmm9,xmm3
    movdqa       XMMWORD PTR [rsp+0x1e0],xmm3
    movdqa       xmm14,xmm3
    paddb        xmm14,xmm3
    movdqa       XMMWORD PTR [rsp+0x1b0],xmm14
    movdqa       xmm6,xmm3
    pcmpeqd      xmm0,xmm0
    paddb        xmm6,xmm0
    pxor         xmm0,xmm0
    psubb        xmm0,xmm14
    movdqa       xmm3,xmm0
    movdqa       xmm7,xmm9
    pavgb        xmm7,xmm4
    por          xmm7,xmm9
    por          xmm7,xmm14
    movdqa       xmm9,xmm1
    pand         xmm9,xmm7
    movdqa       XMMWORD PTR [rsp+0x1f0],xmm9
    movdqa       xmm0,xmm15
    pandn        xmm0,xmm9
    movdqa       xmm9,xmm0
    pand         xmm9,xmm3
    paddb        xmm9,xmm0
    pand         xmm0,xmm6
    pavgb        xmm0,xmm4
    movdqa       xmm1,xmm5
    pand         xmm1,xmm7
    movdqa       XMMWORD PTR [rsp+0x200],xmm1
    paddb        xmm9,xmm1
    psubb        xmm9,xmm0
    movdqa       XMMWORD PTR [rsp+0x1c0],xmm9
    movdqa       xmm0,xmm8
    pcmpeqb      xmm0,XMMWORD PTR [const3]
    movdqa       xmm1,xmm0
    movdqa       XMMWORD PTR [rsp+0x90],xmm0
    pandn        xmm10,xmm9
    movdqa       xmm0,xmm10
    pand         xmm0,xmm3
    movdqa       xmm9,xmm3
    movdqa       xmm5,xmm1
    pand         xmm5,xmm7
    movdqa       XMMWORD PTR [rsp+0x160],xmm5
    movdqa       xmm1,xmm10
    paddb        xmm10,xmm5
    paddb        xmm10,xmm0
    pand         xmm1,xmm6
    pavgb        xmm1,xmm4
    psubb        xmm10,xmm1
    movdqa       XMMWORD PTR [rsp+0x190],xmm10
    movdqa       xmm0,xmm8
    pcmpeqb      xmm0,XMMWORD PTR [const4]
    movdqa       xmm1,xmm0
    movdqa       XMMWORD PTR [rsp+0x150],xmm0
    movdqa       xmm5,xmm13
    pandn        xmm5,xmm10
    movdqa       xmm0,xmm5
    pand         xmm0,xmm3
    movdqa       xmm3,xmm1
    pand         xmm3,xmm7
    movdqa       XMMWORD PTR [rsp+0x130],xmm3
    movdqa       xmm1,xmm5
    paddb        xmm5,xmm3
    paddb        xmm5,xmm0
    pand         xmm1,xmm6
    pavgb        xmm1,xmm4
    psubb        xmm5,xmm1
    movdqa       XMMWORD PTR [rsp+0x1a0],xmm5
    movdqa       xmm14,xmm8
    pcmpeqb      xmm14,XMMWORD PTR [const5]
    movdqa       XMMWORD PTR [rsp+0x70],xmm14
    movdqa       xmm3,xmm12
    pandn        xmm3,xmm5
    movdqa       xmm0,xmm3
    pand         xmm0,xmm9
    pand         xmm14,xmm7
    movdqa       xmm1,xmm3
    paddb        xmm3,xmm14
    paddb        xmm3,xmm0
    pand         xmm1,xmm6
    pavgb        xmm1,xmm4
    psubb        xmm3,xmm1
    movdqa       XMMWORD PTR [rsp+0x170],xmm3
    movdqa       xmm0,xmm8
    pcmpeqb      xmm0,XMMWORD PTR [const6]
    movdqa       xmm12,xmm0
    movdqa       XMMWORD PTR [rsp+0x140],xmm0
    movdqa       xmm10,xmm11
    movdqa       XMMWORD PTR [rsp+0x120],xmm11
    movdqa       xmm4,xmm11
    pandn        xmm4,xmm3
    movdqa       xmm0,xmm4
    pand         xmm0,xmm9
    pand         xmm12,xmm7
    movdqa       xmm1,xmm4
    paddb        xmm4,xmm12
    paddb        xmm4,xmm0
    pand         xmm1,xmm6
    pxor         xmm0,xmm0
    pavgb        xmm1,xmm0
    psubb        xmm4,xmm1
    movdqa       xmm0,xmm8
    pcmpeqb      xmm0,XMMWORD PTR [const7]
    movdqa       xmm3,xmm0
    movdqa       XMMWORD PTR [rsp+0x60],xmm0
    movdqa       xmm11,XMMWORD PTR [rsp+0x30]
    movdqa       xmm5,xmm11
    pandn        xmm5,xmm4
    movdqa       xmm0,xmm5
    pand         xmm0,xmm9
    pand         xmm3,xmm7
    movdqa       xmm1,xmm5
    paddb        xmm5,xmm3
    paddb        xmm5,xmm0
    pand         xmm1,xmm6
    pxor         xmm0,xmm0
    pavgb        xmm1,xmm0
    psubb        xmm5,xmm1
    pcmpeqb      xmm8,XMMWORD PTR [const1]
    movdqa       XMMWORD PTR [rsp+0x50],xmm8
    pand         xmm7,xmm8
    movdqa       xmm1,xmm11
    pandn        xmm1,xmm7
    movdqa       xmm0,xmm1
    pand         xmm0,xmm9
    paddb        xmm0,xmm1
    paddb        xmm0,xmm3
    pand         xmm1,xmm6
    pxor         xmm3,xmm3
    pavgb        xmm1,xmm3
    psubb        xmm0,xmm1
    movdqa       xmm8,xmm10
    pandn        xmm8,xmm0
    movdqa       xmm1,xmm8
    movdqa       xmm3,xmm8
    paddb        xmm8,xmm12
    pand         xmm1,xmm9
    paddb        xmm8,xmm1
    pand         xmm3,xmm6
    pxor         xmm1,xmm1
    pavgb        xmm3,xmm1
    psubb        xmm8,xmm3
    movdqa       xmm12,XMMWORD PTR [rsp+0x40]
    pandn        xmm12,xmm8
    movdqa       xmm1,xmm12
    movdqa       xmm3,xmm12
    paddb        xmm12,xmm14
    pand         xmm1,xmm9
    movdqa       xmm10,xmm9
    paddb        xmm12,xmm1
    pand         xmm3,xmm6
    pxor         xmm1,xmm1
    pavgb        xmm3,xmm1
    psubb        xmm12,xmm3
    movdqa       xmm9,xmm13
    pandn        xmm9,xmm12
    movdqa       xmm1,xmm9
    movdqa       xmm3,xmm9
    paddb        xmm9,XMMWORD PTR [rsp+0x130]
    pand         xmm1,xmm10
    movdqa       XMMWORD PTR [rsp+0x20],xmm10
    paddb        xmm9,xmm1
    pand         xmm3,xmm6
    pxor         xmm1,xmm1
    pavgb        xmm3,xmm1
    psubb        xmm9,xmm3
    movdqa       xmm1,XMMWORD PTR [rsp+0x90]
    movdqa       xmm14,XMMWORD PTR [rsp]
    pand         xmm1,xmm14
    pandn        xmm14,xmm9
    movdqa       xmm3,xmm14
    movdqa       xmm11,xmm14
    paddb        xmm14,XMMWORD PTR [rsp+0x160]
    pand         xmm3,xmm10
    paddb        xmm14,xmm3
    pand         xmm11,xmm6
    pxor         xmm3,xmm3
    pavgb        xmm11,xmm3
    psubb        xmm14,xmm11
    movdqa       XMMWORD PTR [rsp],xmm14
    movdqa       xmm10,XMMWORD PTR [rsp+0x1d0]
    pand         xmm10,XMMWORD PTR [rsp+0x80]
    movdqa       xmm11,XMMWORD PTR [rsp+0x180]
    movdqa       xmm3,xmm11
    pand         xmm3,xmm15
    por          xmm3,xmm10
    movdqa       xmm14,XMMWORD PTR [rsp+0x150]
    pand         xmm13,xmm14
    por          xmm13,xmm1
    por          xmm13,xmm3
    movdqa       xmm3,XMMWORD PTR [rsp+0x40]
    pand         xmm3,XMMWORD PTR [rsp+0x70]
    movdqa       xmm1,XMMWORD PTR [rsp+0x120]
    movdqa       xmm10,XMMWORD PTR [rsp+0x140]
    pand         xmm1,xmm10
    por          xmm1,xmm3
    movdqa       xmm3,XMMWORD PTR [rsp+0x30]
    pand         xmm3,XMMWORD PTR [rsp+0x60]
    por          xmm3,xmm1
    por          xmm3,xmm13
    pand         xmm2,XMMWORD PTR [rsp+0x50]
    por          xmm2,xmm3
    movdqa       xmm1,xmm2
    pand         xmm1,XMMWORD PTR [rsp+0x20]
    movdqa       xmm3,xmm1
    psubb        xmm3,XMMWORD PTR [rsp+0x1b0]
    pxor         xmm3,xmm1
    pand         xmm2,xmm6
    movdqa       xmm1,XMMWORD PTR [const8]
    pshufb       xmm1,xmm2
    psrlw        xmm2,0x4
    pand         xmm2,XMMWORD PTR [const9]
    movdqa       xmm13,XMMWORD PTR [const10]
    pshufb       xmm13,xmm2
    pmaxub       xmm13,xmm1
    movdqa       xmm1,XMMWORD PTR [rsp+0x1e0]
    psubb        xmm1,xmm13
    por          xmm1,xmm3
    pand         xmm11,xmm1
    por          xmm11,XMMWORD PTR [rsp+0x1f0]
    por          xmm9,XMMWORD PTR [rsp+0x1c0]
    movdqa       xmm2,XMMWORD PTR [rsp+0x90]
    pand         xmm2,xmm1
    por          xmm9,xmm2
    por          xmm12,XMMWORD PTR [rsp+0x190]
    pand         xmm14,xmm1
    por          xmm12,xmm14
    por          xmm0,XMMWORD PTR [rsp+0x170]
    pand         xmm10,xmm1
    por          xmm0,xmm10
    movdqa       xmm2,XMMWORD PTR [rsp+0x60]
    pand         xmm2,xmm1
    por          xmm2,xmm7
    por          xmm2,xmm4
    movdqa       xmm7,xmm2
    pxor         xmm3,xmm3
    movdqa       xmm2,XMMWORD PTR [rsp+0x50]
    pand         xmm2,xmm1
    por          xmm2,xmm5
    por          xmm8,XMMWORD PTR [rsp+0x1a0]
    movdqa       xmm4,XMMWORD PTR [rsp+0x70]
    pand         xmm4,xmm1
    por          xmm8,xmm4
    pand         xmm1,XMMWORD PTR [rsp+0x80]
    movdqa       xmm4,xmm1
    movdqa       xmm1,XMMWORD PTR [rsp]
    por          xmm11,xmm1
    pandn        xmm15,xmm1
    movdqa       xmm1,XMMWORD PTR [rsp+0x20]
    pand         xmm1,xmm15
    pand         xmm6,xmm15
    paddb        xmm15,XMMWORD PTR [rsp+0x200]
    paddb        xmm15,xmm1
    pavgb        xmm6,xmm3
    psubb        xmm15,xmm6
    por          xmm15,xmm4
    movdqa       xmm1,xmm15
    punpcklbw    xmm1,xmm8
    punpckhbw    xmm15,xmm8
    movdqa       xmm3,xmm11
    punpcklbw    xmm3,xmm0
    punpckhbw    xmm11,xmm0
    movdqa       xmm0,xmm9
    punpcklbw    xmm0,xmm7
    punpckhbw    xmm9,xmm7
    movdqa       xmm4,xmm12
    punpcklbw    xmm4,xmm2
    punpckhbw    xmm12,xmm2
    movdqa       xmm2,xmm1
    punpcklbw    xmm2,xmm0
    punpckhbw    xmm1,xmm0
    movdqa       xmm5,xmm3
    punpcklbw    xmm5,xmm4
    punpckhbw    xmm3,xmm4
    movdqa       xmm0,xmm15
    punpcklbw    xmm0,xmm9
    punpckhbw    xmm15,xmm9
    movdqa       xmm7,xmm11
    punpcklbw    xmm7,xmm12
    punpckhbw    xmm11,xmm12
    movdqa       xmm6,xmm2
    punpcklbw    xmm6,xmm5
    punpckhbw    xmm2,xmm5
    movdqa       xmm5,xmm1
    punpcklbw    xmm5,xmm3
    punpckhbw    xmm1,xmm3
    movdqa       xmm4,xmm0
    punpcklbw    xmm4,xmm7
    punpckhbw    xmm0,xmm7
    movdqa       xmm3,xmm15
    punpcklbw    xmm3,xmm11
    punpckhbw    xmm15,xmm11
    lea          r9,[rcx+rdi*8]
    cmp          rdx,0x200000
    jb           .1
    mov          r10d,r9d
    and          r10d,0x8
    jne          .1
    lea          r10,[rcx+rdi*8]
    add          r10,0x70
    lea          r11,[r9+0x10]
    movntdq      XMMWORD PTR [r9],xmm6
    lea          r14,[r9+0x20]
    movntdq      XMMWORD PTR [r11],xmm2
    lea          r11,[r9+0x30]
    movntdq      XMMWORD PTR [r14],xmm5
    lea          r14,[r9+0x40]
    movntdq      XMMWORD PTR [r11],xmm1
    lea          r11,[r9+0x50]
    movntdq      XMMWORD PTR [r14],xmm4
    add          r9,0x60
    movntdq      XMMWORD PTR [r11],xmm0
    movntdq      XMMWORD PTR [r9],xmm3
    movntdq      XMMWORD PTR [r10],xmm15
    cmp          rdi,r8
    jne          .2
    jmp          .out
    nop          WORD PTR [rax+rax*1+0x0]
.1:
    movdqu       XMMWORD PTR [r9],xmm6
    movdqu       XMMWORD PTR [r9+0x10],xmm2
    movdqu       XMMWORD PTR [r9+0x20],xmm5
    movdqu       XMMWORD PTR [r9+0x30],xmm1
    movdqu       XMMWORD PTR [r9+0x40],xmm4
    movdqu       XMMWORD PTR [r9+0x50],xmm0
    movdqu       XMMWORD PTR [r9+0x60],xmm3
    movdqu       XMMWORD PTR [r9+0x70],xmm15
    cmp          rdi,r8
    je           .out
.2:
    test         rdi,rdi
    lea          rdi,[rdi+0x10]
    cmove        rdi,rsi
    cmp          rdi,r8
    cmovae       rdi,r8
    mov          r10,rax
    sub          r10,rdi
    lea          r9,[rdi+r13*1]
    cmp          r10,0x10
    jae          .0
