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
    movdqu       xmm13,XMMWORD PTR [r9]
    movdqu       xmm1,XMMWORD PTR [rbp+rdi*8+0x0]
    movdqu       xmm0,XMMWORD PTR [rbp+rdi*8+0x10]
    movdqu       xmm4,XMMWORD PTR [rbp+rdi*8+0x20]
    movdqu       xmm2,XMMWORD PTR [rbp+rdi*8+0x30]
    movdqu       xmm5,XMMWORD PTR [rbp+rdi*8+0x50]
    movdqu       xmm6,XMMWORD PTR [rbp+rdi*8+0x60]
    movdqu       xmm7,XMMWORD PTR [rbp+rdi*8+0x70]
    movdqu       xmm3,XMMWORD PTR [rbp+rdi*8+0x40]
    movdqa       xmm14,xmm1
    punpcklbw    xmm14,xmm3
    punpckhbw    xmm1,xmm3
    movdqa       xmm3,xmm0
    punpcklbw    xmm3,xmm5
    punpckhbw    xmm0,xmm5
    movdqa       xmm5,xmm4
    punpcklbw    xmm5,xmm6
    punpckhbw    xmm4,xmm6
    movdqa       xmm6,xmm2
    punpcklbw    xmm6,xmm7
    punpckhbw    xmm2,xmm7
    movdqa       xmm12,xmm14
    punpcklbw    xmm12,xmm5
    punpckhbw    xmm14,xmm5
    movdqa       xmm5,xmm3
    punpcklbw    xmm5,xmm6
    punpckhbw    xmm3,xmm6
    movdqa       xmm7,xmm1
    punpcklbw    xmm7,xmm4
    punpckhbw    xmm1,xmm4
    movdqa       xmm4,xmm0
    punpcklbw    xmm4,xmm2
    punpckhbw    xmm0,xmm2
    movdqa       xmm10,xmm12
    punpcklbw    xmm10,xmm5
    punpckhbw    xmm12,xmm5
    movdqa       xmm2,xmm14
    punpcklbw    xmm2,xmm3
    punpckhbw    xmm14,xmm3
    movdqa       xmm3,xmm7
    punpcklbw    xmm3,xmm4
    punpckhbw    xmm7,xmm4
    movdqa       xmm4,xmm1
    punpcklbw    xmm4,xmm0
    punpckhbw    xmm1,xmm0
    movdqa       xmm0,xmm10
    punpcklbw    xmm0,xmm3
    movdqa       XMMWORD PTR [rsp+0x120],xmm0
    punpckhbw    xmm10,xmm3
    movdqa       xmm8,xmm12
    punpcklbw    xmm8,xmm7
    movdqa       XMMWORD PTR [rsp],xmm8
    punpckhbw    xmm12,xmm7
    movdqa       xmm0,xmm2
    punpcklbw    xmm0,xmm4
    movdqa       XMMWORD PTR [rsp+0xf0],xmm0
    punpckhbw    xmm2,xmm4
    movdqa       xmm0,xmm14
    punpcklbw    xmm0,xmm1
    punpckhbw    xmm14,xmm1
    movdqa       xmm7,XMMWORD PTR [const0]
    pshufb       xmm7,xmm13
    movdqa       xmm1,XMMWORD PTR [const1]
    pand         xmm13,xmm1
    movdqa       xmm3,xmm13
    pcmpeqb      xmm3,xmm9
    movdqa       xmm15,xmm3
    movdqa       XMMWORD PTR [rsp+0x50],xmm3
    movdqa       xmm4,xmm13
    pcmpeqb      xmm4,XMMWORD PTR [const2]
    movdqa       xmm3,xmm4
    movdqa       XMMWORD PTR [rsp+0x40],xmm4
    movdqa       xmm9,xmm13
    pcmpeqb      xmm9,XMMWORD PTR [const3]
    movdqa       XMMWORD PTR [rsp+0x60],xmm9
    movdqa       xmm4,xmm13
    pcmpeqb      xmm4,XMMWORD PTR [const4]
    movdqa       xmm5,xmm4
    movdqa       XMMWORD PTR [rsp+0x30],xmm4
    movdqa       xmm6,xmm13
    pcmpeqb      xmm6,XMMWORD PTR [const5]
    movdqa       XMMWORD PTR [rsp+0x110],xmm6
    movdqa       xmm4,xmm13
    pcmpeqb      xmm4,XMMWORD PTR [const6]
    movdqa       xmm11,xmm4
    movdqa       XMMWORD PTR [rsp+0x100],xmm4
    movdqa       xmm4,xmm13
    pcmpeqb      xmm4,XMMWORD PTR [const7]
    movdqa       XMMWORD PTR [rsp+0x20],xmm4
    pcmpeqb      xmm13,xmm1
    pand         xmm15,xmm7
    movdqa       xmm4,xmm10
    pandn        xmm4,xmm15
    movdqa       xmm1,xmm3
    pand         xmm1,xmm7
    movdqa       XMMWORD PTR [rsp+0x1a0],xmm1
    paddb        xmm4,xmm1
    movdqa       XMMWORD PTR [rsp+0x170],xmm4
    pandn        xmm8,xmm4
    pand         xmm9,xmm7
    paddb        xmm8,xmm9
    movdqa       XMMWORD PTR [rsp+0x180],xmm8
    movdqa       xmm1,xmm12
    pandn        xmm1,xmm8
    movdqa       xmm4,xmm5
    pand         xmm4,xmm7
    paddb        xmm1,xmm4
    movdqa       XMMWORD PTR [rsp+0x190],xmm1
    movdqa       xmm5,XMMWORD PTR [rsp+0xf0]
    movdqa       xmm3,xmm5
    pandn        xmm3,xmm1
    movdqa       xmm8,xmm6
    pand         xmm8,xmm7
    paddb        xmm3,xmm8
    movdqa       XMMWORD PTR [rsp+0x140],xmm3
    movdqa       xmm6,xmm2
    pandn        xmm6,xmm3
    movdqa       xmm3,xmm11
    pand         xmm3,xmm7
    paddb        xmm6,xmm3
    movdqa       XMMWORD PTR [rsp+0x150],xmm6
    movdqa       xmm1,xmm0
    pandn        xmm1,xmm6
    movdqa       xmm11,XMMWORD PTR [rsp+0x20]
    pand         xmm11,xmm7
    paddb        xmm1,xmm11
    movdqa       XMMWORD PTR [rsp+0x160],xmm1
    movdqa       xmm6,xmm13
    pand         xmm6,xmm7
    movdqa       XMMWORD PTR [rsp+0x130],xmm6
    movdqa       xmm1,xmm0
    pandn        xmm1,xmm6
    paddb        xmm1,xmm11
    movdqa       xmm11,xmm2
    pandn        xmm11,xmm1
    paddb        xmm11,xmm3
    movdqa       xmm3,xmm5
    pandn        xmm3,xmm11
    paddb        xmm3,xmm8
    movdqa       xmm8,XMMWORD PTR [rsp+0x30]
    pand         xmm8,xmm12
    pandn        xmm12,xmm3
    paddb        xmm12,xmm4
    movdqa       xmm4,XMMWORD PTR [rsp+0x60]
    movdqa       xmm6,XMMWORD PTR [rsp]
    pand         xmm4,xmm6
    pandn        xmm6,xmm12
    paddb        xmm6,xmm9
    movdqa       XMMWORD PTR [rsp],xmm6
    movdqa       xmm6,XMMWORD PTR [rsp+0x120]
    pand         xmm6,XMMWORD PTR [rsp+0x50]
    movdqa       xmm9,XMMWORD PTR [rsp+0x40]
    pand         xmm9,xmm10
    por          xmm9,xmm6
    por          xmm4,xmm8
    por          xmm4,xmm9
    movdqa       xmm9,XMMWORD PTR [rsp+0x110]
    pand         xmm5,xmm9
    movdqa       xmm6,XMMWORD PTR [rsp+0x100]
    pand         xmm2,xmm6
    por          xmm2,xmm5
    movdqa       xmm8,XMMWORD PTR [rsp+0x20]
    pand         xmm0,xmm8
    por          xmm0,xmm2
    por          xmm0,xmm4
    pand         xmm14,xmm13
    por          xmm14,xmm0
    movdqa       xmm0,xmm7
    paddb        xmm0,xmm7
    pxor         xmm2,xmm2
    psubb        xmm2,xmm0
    pand         xmm2,xmm14
    movdqa       xmm4,xmm2
    psubb        xmm4,xmm0
    pxor         xmm4,xmm2
    movdqa       xmm0,xmm7
    pcmpeqd      xmm2,xmm2
    paddb        xmm0,xmm2
    pand         xmm14,xmm0
    movdqa       xmm0,XMMWORD PTR [const8]
    pshufb       xmm0,xmm14
    psrlw        xmm14,0x4
    pand         xmm14,XMMWORD PTR [const9]
    movdqa       xmm2,XMMWORD PTR [const10]
    pshufb       xmm2,xmm14
    pmaxub       xmm2,xmm0
    psubb        xmm7,xmm2
    por          xmm7,xmm4
    movdqa       xmm0,XMMWORD PTR [rsp+0x40]
    pand         xmm0,xmm7
    movdqa       xmm4,XMMWORD PTR [rsp]
    por          xmm15,xmm4
    por          xmm15,xmm0
    por          xmm12,XMMWORD PTR [rsp+0x170]
    movdqa       xmm0,XMMWORD PTR [rsp+0x60]
    pand         xmm0,xmm7
    por          xmm12,xmm0
    por          xmm3,XMMWORD PTR [rsp+0x180]
    movdqa       xmm0,XMMWORD PTR [rsp+0x30]
    pand         xmm0,xmm7
    por          xmm3,xmm0
    por          xmm1,XMMWORD PTR [rsp+0x140]
    pand         xmm6,xmm7
    por          xmm1,xmm6
    movdqa       xmm2,XMMWORD PTR [rsp+0x130]
    por          xmm2,XMMWORD PTR [rsp+0x150]
    movdqa       xmm0,xmm8
    pand         xmm0,xmm7
    por          xmm2,xmm0
    pand         xmm13,xmm7
    por          xmm13,XMMWORD PTR [rsp+0x160]
    por          xmm11,XMMWORD PTR [rsp+0x190]
    movdqa       xmm0,xmm9
    pand         xmm0,xmm7
    por          xmm11,xmm0
    pand         xmm7,XMMWORD PTR [rsp+0x50]
    pandn        xmm10,xmm4
    paddb        xmm10,XMMWORD PTR [rsp+0x1a0]
    por          xmm10,xmm7
    movdqa       xmm0,xmm10
    punpcklbw    xmm0,xmm11
    punpckhbw    xmm10,xmm11
    movdqa       xmm4,xmm15
    punpcklbw    xmm4,xmm1
    punpckhbw    xmm15,xmm1
    movdqa       xmm1,xmm12
    punpcklbw    xmm1,xmm2
    punpckhbw    xmm12,xmm2
    movdqa       xmm5,xmm3
    punpcklbw    xmm5,xmm13
    punpckhbw    xmm3,xmm13
    movdqa       xmm2,xmm0
    punpcklbw    xmm2,xmm1
    punpckhbw    xmm0,xmm1
    movdqa       xmm8,xmm4
    punpcklbw    xmm8,xmm5
    punpckhbw    xmm4,xmm5
    movdqa       xmm1,xmm10
    punpcklbw    xmm1,xmm12
    punpckhbw    xmm10,xmm12
    movdqa       xmm9,xmm15
    punpcklbw    xmm9,xmm3
    punpckhbw    xmm15,xmm3
    movdqa       xmm7,xmm2
    punpcklbw    xmm7,xmm8
    punpckhbw    xmm2,xmm8
    movdqa       xmm5,xmm0
    punpcklbw    xmm5,xmm4
    punpckhbw    xmm0,xmm4
    movdqa       xmm4,xmm1
    punpcklbw    xmm4,xmm9
    punpckhbw    xmm1,xmm9
    movdqa       xmm3,xmm10
    punpcklbw    xmm3,xmm15
    punpckhbw    xmm10,xmm15
    lea          r9,[rcx+rdi*8]
    cmp          rdx,0x200000
    jb           .1
    mov          r10d,r9d
    and          r10d,0x8
    jne          .1
    lea          r10,[rcx+rdi*8]
    add          r10,0x70
    lea          r11,[r9+0x10]
    movntdq      XMMWORD PTR [r9],xmm7
    lea          r14,[r9+0x20]
    movntdq      XMMWORD PTR [r11],xmm2
    lea          r11,[r9+0x30]
    movntdq      XMMWORD PTR [r14],xmm5
    lea          r14,[r9+0x40]
    movntdq      XMMWORD PTR [r11],xmm0
    lea          r11,[r9+0x50]
    movntdq      XMMWORD PTR [r14],xmm4
    add          r9,0x60
    movntdq      XMMWORD PTR [r11],xmm1
    movntdq      XMMWORD PTR [r9],xmm3
    movntdq      XMMWORD PTR [r10],xmm10
    cmp          rdi,r8
    pxor         xmm9,xmm9
    jne          .2
    jmp          .out
    nop          WORD PTR [rax+rax*1+0x0]
.1:
    movdqu       XMMWORD PTR [r9],xmm7
    movdqu       XMMWORD PTR [r9+0x10],xmm2
    movdqu       XMMWORD PTR [r9+0x20],xmm5
    movdqu       XMMWORD PTR [r9+0x30],xmm0
    movdqu       XMMWORD PTR [r9+0x40],xmm4
    movdqu       XMMWORD PTR [r9+0x50],xmm1
    movdqu       XMMWORD PTR [r9+0x60],xmm3
    movdqu       XMMWORD PTR [r9+0x70],xmm10
    cmp          rdi,r8
    pxor         xmm9,xmm9
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
