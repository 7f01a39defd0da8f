.0:
    mov          r14,QWORD PTR [rsp+0x20]
    sub          r14,rax
    jb           .out
    cmp          r14,0x10
    jb           .out
    mov          r14,QWORD PTR [rsp+0x18]
    sub          r14,rax
    jb           .out
    cmp          r14,0x10
    jb           .out
    movdqu       xmm9,XMMWORD PTR [rdi+rax*1]
    movdqu       xmm0,XMMWORD PTR [rdx+rax*8]
    movdqu       xmm1,XMMWORD PTR [rdx+rax*8+0x10]
    movdqu       xmm4,XMMWORD PTR [rdx+rax*8+0x20]
    movdqu       xmm2,XMMWORD PTR [rdx+rax*8+0x30]
    movdqu       xmm6,XMMWORD PTR [rdx+rax*8+0x50]
    movdqu       xmm7,XMMWORD PTR [rdx+rax*8+0x60]
    movdqu       xmm8,XMMWORD PTR [rdx+rax*8+0x70]
    movdqu       xmm5,XMMWORD PTR [rdx+rax*8+0x40]
    movdqa       xmm3,xmm0
    punpcklbw    xmm3,xmm5
    punpckhbw    xmm0,xmm5
    movdqa       xmm5,xmm1
    punpcklbw    xmm5,xmm6
    punpckhbw    xmm1,xmm6
    movdqa       xmm6,xmm4
    punpcklbw    xmm6,xmm7
    punpckhbw    xmm4,xmm7
    movdqa       xmm7,xmm2
    punpcklbw    xmm7,xmm8
    punpckhbw    xmm2,xmm8
    movdqa       xmm10,xmm3
    punpcklbw    xmm10,xmm6
    punpckhbw    xmm3,xmm6
    movdqa       xmm6,xmm5
    punpcklbw    xmm6,xmm7
    punpckhbw    xmm5,xmm7
    movdqa       xmm7,xmm0
    punpcklbw    xmm7,xmm4
    punpckhbw    xmm0,xmm4
    movdqa       xmm8,xmm1
    punpcklbw    xmm8,xmm2
    punpckhbw    xmm1,xmm2
    movdqa       xmm15,xmm10
    punpcklbw    xmm15,xmm6
    punpckhbw    xmm10,xmm6
    movdqa       xmm14,xmm3
    punpcklbw    xmm14,xmm5
    punpckhbw    xmm3,xmm5
    movdqa       xmm2,xmm7
    punpcklbw    xmm2,xmm8
    punpckhbw    xmm7,xmm8
    movdqa       xmm5,xmm0
    punpcklbw    xmm5,xmm1
    punpckhbw    xmm0,xmm1
    movdqa       xmm1,xmm15
    punpcklbw    xmm1,xmm2
    movdqa       XMMWORD PTR [rsp+0x1b0],xmm1
    punpckhbw    xmm15,xmm2
    movdqa       xmm8,xmm10
    punpcklbw    xmm8,xmm7
    movdqa       XMMWORD PTR [rsp+0x100],xmm8
    punpckhbw    xmm10,xmm7
    movdqa       xmm12,xmm10
    movdqa       XMMWORD PTR [rsp+0x60],xmm10
    movdqa       xmm1,xmm14
    punpcklbw    xmm1,xmm5
    movdqa       xmm11,xmm1
    movdqa       XMMWORD PTR [rsp+0x50],xmm1
    punpckhbw    xmm14,xmm5
    movdqa       xmm1,xmm3
    punpcklbw    xmm1,xmm0
    movdqa       XMMWORD PTR [rsp+0x40],xmm1
    punpckhbw    xmm3,xmm0
    movdqa       xmm7,XMMWORD PTR [const0]
    pshufb       xmm7,xmm9
    psrlw        xmm9,0x3
    movdqa       xmm1,xmm7
    paddb        xmm1,xmm7
    movdqa       xmm6,xmm1
    movdqa       xmm1,XMMWORD PTR [const1]
    pand         xmm9,xmm1
    movdqa       xmm0,xmm9
    pxor         xmm1,xmm1
    pcmpeqb      xmm0,xmm1
    pxor         xmm13,xmm13
    movdqa       xmm5,xmm0
    movdqa       XMMWORD PTR [rsp+0x90],xmm0
    movdqa       xmm0,xmm9
    movdqa       xmm4,xmm9
    pcmpeqb      xmm0,XMMWORD PTR [const2]
    movdqa       XMMWORD PTR [rsp+0xc0],xmm0
    movdqa       xmm10,xmm7
    pavgb        xmm10,xmm13
    por          xmm10,xmm7
    movdqa       XMMWORD PTR [rsp+0x190],xmm7
    movdqa       xmm1,xmm6
    movdqa       XMMWORD PTR [rsp+0x180],xmm6
    por          xmm10,xmm6
    movdqa       xmm6,xmm5
    pand         xmm6,xmm10
    movdqa       xmm5,xmm6
    movdqa       XMMWORD PTR [rsp+0x1a0],xmm6
    pand         xmm0,xmm10
    movdqa       xmm2,xmm0
    movdqa       XMMWORD PTR [rsp+0x120],xmm0
    pcmpeqd      xmm0,xmm0
    paddb        xmm7,xmm0
    pxor         xmm6,xmm6
    psubb        xmm6,xmm1
    movdqa       xmm0,xmm15
    pandn        xmm0,xmm5
    movdqa       xmm1,xmm0
    pand         xmm1,xmm6
    paddb        xmm1,xmm0
    pand         xmm0,xmm7
    pavgb        xmm0,xmm13
    paddb        xmm1,xmm2
    psubb        xmm1,xmm0
    movdqa       XMMWORD PTR [rsp+0x170],xmm1
    movdqa       xmm0,xmm9
    pcmpeqb      xmm0,XMMWORD PTR [const3]
    movdqa       XMMWORD PTR [rsp+0xb0],xmm0
    pand         xmm0,xmm10
    movdqa       xmm9,xmm0
    movdqa       XMMWORD PTR [rsp+0x110],xmm0
    movdqa       xmm5,xmm8
    pandn        xmm5,xmm1
    movdqa       xmm0,xmm5
    pand         xmm0,xmm6
    movdqa       xmm2,xmm5
    paddb        xmm5,xmm9
    paddb        xmm5,xmm0
    pand         xmm2,xmm7
    pxor         xmm8,xmm8
    pavgb        xmm2,xmm8
    psubb        xmm5,xmm2
    movdqa       XMMWORD PTR [rsp+0x160],xmm5
    movdqa       xmm0,xmm4
    pcmpeqb      xmm0,XMMWORD PTR [const4]
    movdqa       XMMWORD PTR [rsp+0xa0],xmm0
    pand         xmm0,xmm10
    movdqa       xmm9,xmm0
    movdqa       XMMWORD PTR [rsp+0xf0],xmm0
    movdqa       xmm1,xmm12
    pandn        xmm1,xmm5
    movdqa       xmm0,xmm1
    pand         xmm0,xmm6
    movdqa       xmm2,xmm1
    paddb        xmm1,xmm9
    paddb        xmm1,xmm0
    pand         xmm2,xmm7
    pavgb        xmm2,xmm8
    pxor         xmm9,xmm9
    psubb        xmm1,xmm2
    movdqa       XMMWORD PTR [rsp+0x150],xmm1
    movdqa       xmm13,xmm4
    pcmpeqb      xmm13,XMMWORD PTR [const5]
    movdqa       XMMWORD PTR [rsp+0x80],xmm13
    pand         xmm13,xmm10
    movdqa       xmm8,xmm11
    pandn        xmm8,xmm1
    movdqa       xmm0,xmm8
    pand         xmm0,xmm6
    movdqa       xmm2,xmm8
    paddb        xmm8,xmm13
    paddb        xmm8,xmm0
    pand         xmm2,xmm7
    pavgb        xmm2,xmm9
    psubb        xmm8,xmm2
    movdqa       XMMWORD PTR [rsp+0x140],xmm8
    movdqa       xmm1,xmm4
    pcmpeqb      xmm1,XMMWORD PTR [const6]
    movdqa       XMMWORD PTR [rsp+0x70],xmm1
    pand         xmm1,xmm10
    movdqa       xmm5,xmm14
    movdqa       XMMWORD PTR [rsp+0xd0],xmm14
    movdqa       xmm12,xmm14
    pandn        xmm12,xmm8
    movdqa       xmm2,xmm12
    pand         xmm2,xmm6
    movdqa       xmm8,xmm12
    paddb        xmm12,xmm1
    paddb        xmm12,xmm2
    pand         xmm8,xmm7
    pavgb        xmm8,xmm9
    psubb        xmm12,xmm8
    movdqa       xmm11,xmm4
    pcmpeqb      xmm11,XMMWORD PTR [const7]
    movdqa       xmm2,xmm11
    pand         xmm2,xmm10
    movdqa       xmm14,XMMWORD PTR [rsp+0x40]
    movdqa       xmm8,xmm14
    pandn        xmm8,xmm12
    movdqa       xmm0,xmm8
    pand         xmm0,xmm6
    movdqa       xmm9,xmm8
    paddb        xmm8,xmm2
    paddb        xmm8,xmm0
    pand         xmm9,xmm7
    pxor         xmm0,xmm0
    pavgb        xmm9,xmm0
    psubb        xmm8,xmm9
    movdqa       XMMWORD PTR [rsp+0x130],xmm8
    pcmpeqb      xmm4,XMMWORD PTR [const1]
    movdqa       XMMWORD PTR [rsp+0xe0],xmm4
    pand         xmm10,xmm4
    pandn        xmm14,xmm10
    movdqa       xmm8,xmm14
    pand         xmm8,xmm6
    paddb        xmm8,xmm14
    paddb        xmm8,xmm2
    pand         xmm14,xmm7
    pavgb        xmm14,xmm0
    psubb        xmm8,xmm14
    movdqa       xmm4,xmm5
    pandn        xmm4,xmm8
    movdqa       xmm2,xmm4
    movdqa       xmm9,xmm4
    paddb        xmm4,xmm1
    pand         xmm2,xmm6
    paddb        xmm4,xmm2
    pand         xmm9,xmm7
    pavgb        xmm9,xmm0
    pxor         xmm1,xmm1
    psubb        xmm4,xmm9
    movdqa       xmm2,XMMWORD PTR [rsp+0x50]
    pandn        xmm2,xmm4
    movdqa       xmm0,xmm2
    movdqa       xmm9,xmm2
    paddb        xmm2,xmm13
    pand         xmm0,xmm6
    paddb        xmm2,xmm0
    pand         xmm9,xmm7
    pavgb        xmm9,xmm1
    psubb        xmm2,xmm9
    movdqa       xmm5,XMMWORD PTR [rsp+0x60]
    pandn        xmm5,xmm2
    movdqa       xmm0,xmm5
    movdqa       xmm9,xmm5
    paddb        xmm5,XMMWORD PTR [rsp+0xf0]
    pand         xmm0,xmm6
    paddb        xmm5,xmm0
    pand         xmm9,xmm7
    pavgb        xmm9,xmm1
    pxor         xmm13,xmm13
    psubb        xmm5,xmm9
    movdqa       xmm14,XMMWORD PTR [rsp+0x100]
    movdqa       xmm1,xmm14
    pandn        xmm1,xmm5
    movdqa       xmm9,xmm1
    movdqa       xmm0,xmm1
    paddb        xmm1,XMMWORD PTR [rsp+0x110]
    pand         xmm9,xmm6
    paddb        xmm1,xmm9
    pand         xmm0,xmm7
    pavgb        xmm0,xmm13
    psubb        xmm1,xmm0
    movdqa       xmm0,XMMWORD PTR [rsp+0xc0]
    pand         xmm0,xmm15
    pandn        xmm15,xmm1
    movdqa       xmm9,xmm15
    movdqa       xmm13,xmm15
    paddb        xmm15,XMMWORD PTR [rsp+0x120]
    pand         xmm9,xmm6
    paddb        xmm15,xmm9
    pand         xmm13,xmm7
    pxor         xmm9,xmm9
    pavgb        xmm13,xmm9
    psubb        xmm15,xmm13
    movdqa       xmm9,XMMWORD PTR [rsp+0x1b0]
    pand         xmm9,XMMWORD PTR [rsp+0x90]
    por          xmm9,xmm0
    pand         xmm14,XMMWORD PTR [rsp+0xb0]
    movdqa       xmm0,XMMWORD PTR [rsp+0x60]
    pand         xmm0,XMMWORD PTR [rsp+0xa0]
    por          xmm0,xmm14
    por          xmm0,xmm9
    movdqa       xmm13,XMMWORD PTR [rsp+0x50]
    pand         xmm13,XMMWORD PTR [rsp+0x80]
    movdqa       xmm9,XMMWORD PTR [rsp+0xd0]
    pand         xmm9,XMMWORD PTR [rsp+0x70]
    por          xmm9,xmm13
    movdqa       xmm13,XMMWORD PTR [rsp+0x40]
    pand         xmm13,xmm11
    por          xmm13,xmm9
    por          xmm13,xmm0
    movdqa       xmm14,XMMWORD PTR [rsp+0xe0]
    pand         xmm3,xmm14
    por          xmm3,xmm13
    pand         xmm6,xmm3
    pand         xmm3,xmm7
    movdqa       xmm0,XMMWORD PTR [const8]
    pshufb       xmm0,xmm3
    psrlw        xmm3,0x4
    pand         xmm3,XMMWORD PTR [const9]
    movdqa       xmm7,XMMWORD PTR [const10]
    pshufb       xmm7,xmm3
    pmaxub       xmm7,xmm0
    movdqa       xmm0,XMMWORD PTR [rsp+0x190]
    psubb        xmm0,xmm7
    movdqa       xmm3,xmm6
    psubb        xmm3,XMMWORD PTR [rsp+0x180]
    pxor         xmm3,xmm6
    por          xmm3,xmm0
    movdqa       xmm13,XMMWORD PTR [rsp+0x90]
    pand         xmm13,xmm3
    por          xmm13,xmm15
    movdqa       xmm9,XMMWORD PTR [rsp+0xc0]
    pand         xmm9,xmm3
    por          xmm9,XMMWORD PTR [rsp+0x1a0]
    por          xmm9,xmm1
    por          xmm5,XMMWORD PTR [rsp+0x170]
    movdqa       xmm0,XMMWORD PTR [rsp+0xb0]
    pand         xmm0,xmm3
    por          xmm5,xmm0
    por          xmm2,XMMWORD PTR [rsp+0x160]
    movdqa       xmm0,XMMWORD PTR [rsp+0xa0]
    pand         xmm0,xmm3
    por          xmm2,xmm0
    por          xmm4,XMMWORD PTR [rsp+0x150]
    movdqa       xmm0,XMMWORD PTR [rsp+0x80]
    pand         xmm0,xmm3
    por          xmm4,xmm0
    por          xmm8,XMMWORD PTR [rsp+0x140]
    movdqa       xmm0,XMMWORD PTR [rsp+0x70]
    pand         xmm0,xmm3
    por          xmm8,xmm0
    pand         xmm11,xmm3
    por          xmm11,xmm10
    por          xmm11,xmm12
    pand         xmm3,xmm14
    por          xmm3,XMMWORD PTR [rsp+0x130]
    movdqa       xmm0,xmm13
    punpcklbw    xmm0,xmm4
    punpckhbw    xmm13,xmm4
    movdqa       xmm4,xmm9
    punpcklbw    xmm4,xmm8
    punpckhbw    xmm9,xmm8
    movdqa       xmm1,xmm5
    punpcklbw    xmm1,xmm11
    punpckhbw    xmm5,xmm11
    movdqa       xmm6,xmm2
    punpcklbw    xmm6,xmm3
    punpckhbw    xmm2,xmm3
    movdqa       xmm3,xmm0
    punpcklbw    xmm3,xmm1
    punpckhbw    xmm0,xmm1
    movdqa       xmm7,xmm4
    punpcklbw    xmm7,xmm6
    punpckhbw    xmm4,xmm6
    movdqa       xmm1,xmm13
    punpcklbw    xmm1,xmm5
    punpckhbw    xmm13,xmm5
    movdqa       xmm8,xmm9
    punpcklbw    xmm8,xmm2
    punpckhbw    xmm9,xmm2
    movdqa       xmm6,xmm3
    punpcklbw    xmm6,xmm7
    punpckhbw    xmm3,xmm7
    movdqa       xmm7,xmm13
    movdqa       xmm5,xmm0
    punpcklbw    xmm5,xmm4
    punpckhbw    xmm0,xmm4
    movdqa       xmm4,xmm1
    punpcklbw    xmm4,xmm8
    punpckhbw    xmm1,xmm8
    movdqa       xmm2,xmm13
    punpcklbw    xmm2,xmm9
    punpckhbw    xmm7,xmm9
    lea          r14,[r9+rax*8]
    cmp          r8,0x200000
    jb           .1
    mov          r15d,r14d
    and          r15d,0x8
    jne          .1
    lea          r15,[r14+0x10]
    lea          r12,[r14+0x20]
    lea          r13,[r14+0x30]
    lea          r11,[r14+0x40]
    mov          rsi,r10
    lea          r10,[r14+0x50]
    lea          r9,[r14+0x60]
    lea          rbx,[r14+0x70]
    movntdq      XMMWORD PTR [r14],xmm6
    movntdq      XMMWORD PTR [r15],xmm3
    movntdq      XMMWORD PTR [r12],xmm5
    movntdq      XMMWORD PTR [r13+0x0],xmm0
    movntdq      XMMWORD PTR [r11],xmm4
    movntdq      XMMWORD PTR [r10],xmm1
    mov          r10,rsi
    movntdq      XMMWORD PTR [r9],xmm2
    mov          r9,QWORD PTR [rsp+0x28]
    movntdq      XMMWORD PTR [rbx],xmm7
    cmp          rax,rcx
    jne          .2
    jmp          .out
    nop          WORD PTR [rax+rax*1+0x0]
.1:
    movdqu       XMMWORD PTR [r14],xmm6
    movdqu       XMMWORD PTR [r14+0x10],xmm3
    movdqu       XMMWORD PTR [r14+0x20],xmm5
    movdqu       XMMWORD PTR [r14+0x30],xmm0
    movdqu       XMMWORD PTR [r14+0x40],xmm4
    movdqu       XMMWORD PTR [r14+0x50],xmm1
    movdqu       XMMWORD PTR [r14+0x60],xmm2
    movdqu       XMMWORD PTR [r14+0x70],xmm7
    cmp          rax,rcx
    je           .out
.2:
    test         rax,rax
    lea          rax,[rax+0x10]
    cmove        rax,r10
    cmp          rax,rcx
    cmovae       rax,rcx
    mov          rsi,QWORD PTR [rsp+0x30]
    sub          rsi,rax
    cmp          rsi,0x10
    jae          .0
