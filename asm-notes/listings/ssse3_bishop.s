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
    movdqu       xmm1,XMMWORD PTR [r9]
    movdqu       xmm0,XMMWORD PTR [rbp+rdi*8+0x0]
    movdqu       xmm2,XMMWORD PTR [rbp+rdi*8+0x10]
    movdqu       xmm5,XMMWORD PTR [rbp+rdi*8+0x20]
    movdqu       xmm4,XMMWORD PTR [rbp+rdi*8+0x30]
    movdqu       xmm7,XMMWORD PTR [rbp+rdi*8+0x50]
    movdqu       xmm8,XMMWORD PTR [rbp+rdi*8+0x60]
    movdqu       xmm9,XMMWORD PTR [rbp+rdi*8+0x70]
    movdqu       xmm6,XMMWORD PTR [rbp+rdi*8+0x40]
    movdqa       xmm3,xmm0
    punpcklbw    xmm3,xmm6
    punpckhbw    xmm0,xmm6
    movdqa       xmm6,xmm2
    punpcklbw    xmm6,xmm7
    punpckhbw    xmm2,xmm7
    movdqa       xmm7,xmm5
    punpcklbw    xmm7,xmm8
    punpckhbw    xmm5,xmm8
    movdqa       xmm8,xmm4
    punpcklbw    xmm8,xmm9
    punpckhbw    xmm4,xmm9
    movdqa       xmm14,xmm3
    punpcklbw    xmm14,xmm7
    punpckhbw    xmm3,xmm7
    movdqa       xmm7,xmm6
    punpcklbw    xmm7,xmm8
    punpckhbw    xmm6,xmm8
    movdqa       xmm8,xmm0
    punpcklbw    xmm8,xmm5
    punpckhbw    xmm0,xmm5
    movdqa       xmm9,xmm2
    punpcklbw    xmm9,xmm4
    punpckhbw    xmm2,xmm4
    movdqa       xmm11,xmm14
    punpcklbw    xmm11,xmm7
    punpckhbw    xmm14,xmm7
    movdqa       xmm7,xmm3
    punpcklbw    xmm7,xmm6
    punpckhbw    xmm3,xmm6
    movdqa       xmm4,xmm8
    punpcklbw    xmm4,xmm9
    punpckhbw    xmm11,xmm4
    punpckhbw    xmm8,xmm9
    movdqa       xmm4,xmm0
    punpcklbw    xmm4,xmm2
    punpckhbw    xmm0,xmm2
    punpcklbw    xmm3,xmm0
    movdqa       xmm0,xmm14
    punpcklbw    xmm0,xmm8
    movdqa       xmm13,xmm0
    punpckhbw    xmm14,xmm8
    movdqa       xmm8,xmm7
    punpcklbw    xmm8,xmm4
    punpckhbw    xmm7,xmm4
    movdqa       xmm10,XMMWORD PTR [const0]
    pshufb       xmm10,xmm1
    movdqa       xmm0,XMMWORD PTR [const1]
    pand         xmm1,xmm0
    movdqa       xmm2,xmm1
    pcmpeqb      xmm2,xmm12
    movdqa       xmm9,xmm1
    pcmpeqb      xmm9,XMMWORD PTR [const2]
    movdqa       xmm6,xmm1
    pcmpeqb      xmm6,XMMWORD PTR [const3]
    movdqa       xmm5,xmm1
    pcmpeqb      xmm5,XMMWORD PTR [const4]
    movdqa       XMMWORD PTR [rsp+0x110],xmm1
    movdqa       xmm4,xmm1
    pcmpeqb      xmm4,XMMWORD PTR [const5]
    movdqa       xmm15,xmm1
    pcmpeqb      xmm15,XMMWORD PTR [const6]
    pcmpeqb      xmm1,xmm0
    pand         xmm2,xmm10
    pand         xmm9,xmm10
    pand         xmm6,xmm10
    pand         xmm5,xmm10
    pand         xmm4,xmm10
    movdqa       XMMWORD PTR [rsp+0x10],xmm4
    pand         xmm15,xmm10
    pand         xmm1,xmm10
    movdqa       xmm12,xmm2
    pxor         xmm0,xmm0
    pavgb        xmm12,xmm0
    movdqa       xmm0,xmm2
    paddb        xmm0,xmm2
    movdqa       xmm2,xmm11
    movdqa       XMMWORD PTR [rsp+0x140],xmm11
    pandn        xmm2,xmm0
    por          xmm0,xmm12
    movdqa       XMMWORD PTR [rsp+0x150],xmm0
    movdqa       xmm4,xmm1
    pxor         xmm0,xmm0
    pavgb        xmm4,xmm0
    paddb        xmm1,xmm1
    movdqa       xmm0,xmm3
    pandn        xmm0,xmm1
    por          xmm1,xmm4
    movdqa       XMMWORD PTR [rsp+0x120],xmm1
    movdqa       xmm1,XMMWORD PTR [const7]
    pandn        xmm11,xmm1
    movdqa       XMMWORD PTR [rsp+0x130],xmm11
    pand         xmm12,xmm11
    movdqa       XMMWORD PTR [rsp+0x160],xmm9
    por          xmm12,xmm9
    pxor         xmm1,xmm1
    pavgb        xmm12,xmm1
    por          xmm2,xmm9
    paddb        xmm2,xmm2
    movdqa       xmm9,xmm13
    movdqa       XMMWORD PTR [rsp+0xd0],xmm13
    pandn        xmm13,xmm2
    por          xmm2,xmm12
    movdqa       XMMWORD PTR [rsp+0xe0],xmm2
    movdqa       xmm1,xmm3
    movdqa       xmm2,XMMWORD PTR [const7]
    pandn        xmm1,xmm2
    movdqa       XMMWORD PTR [rsp+0xf0],xmm1
    pand         xmm4,xmm1
    movdqa       XMMWORD PTR [rsp+0x100],xmm15
    por          xmm4,xmm15
    pxor         xmm1,xmm1
    pavgb        xmm4,xmm1
    por          xmm0,xmm15
    paddb        xmm0,xmm0
    movdqa       xmm1,xmm7
    pandn        xmm1,xmm0
    movdqa       xmm11,xmm0
    por          xmm11,xmm4
    pandn        xmm9,xmm2
    movdqa       XMMWORD PTR [rsp+0xb0],xmm9
    pand         xmm12,xmm9
    movdqa       XMMWORD PTR [rsp+0xc0],xmm6
    por          xmm12,xmm6
    pxor         xmm0,xmm0
    pavgb        xmm12,xmm0
    por          xmm13,xmm6
    paddb        xmm13,xmm13
    movdqa       xmm15,xmm14
    pandn        xmm15,xmm13
    por          xmm13,xmm12
    movdqa       xmm0,xmm7
    pandn        xmm0,xmm2
    movdqa       XMMWORD PTR [rsp+0xa0],xmm0
    pand         xmm4,xmm0
    movdqa       xmm6,XMMWORD PTR [rsp+0x10]
    por          xmm4,xmm6
    pxor         xmm0,xmm0
    pavgb        xmm4,xmm0
    por          xmm1,xmm6
    paddb        xmm1,xmm1
    movdqa       xmm0,xmm8
    pandn        xmm0,xmm1
    por          xmm1,xmm4
    movdqa       xmm9,xmm14
    pandn        xmm9,xmm2
    pand         xmm12,xmm9
    por          xmm12,xmm5
    pxor         xmm6,xmm6
    pavgb        xmm12,xmm6
    por          xmm15,xmm5
    paddb        xmm15,xmm15
    por          xmm1,xmm15
    por          xmm1,xmm12
    movdqa       xmm6,xmm8
    pandn        xmm6,xmm2
    pand         xmm4,xmm6
    pand         xmm6,xmm12
    pxor         xmm12,xmm12
    pandn        xmm8,xmm15
    movdqa       xmm15,XMMWORD PTR [rsp+0x110]
    pcmpeqb      xmm15,XMMWORD PTR [const8]
    pand         xmm15,xmm10
    por          xmm4,xmm15
    por          xmm0,xmm15
    por          xmm6,xmm15
    por          xmm8,xmm15
    pavgb        xmm4,xmm12
    paddb        xmm0,xmm0
    por          xmm13,xmm0
    por          xmm13,xmm4
    pand         xmm4,xmm9
    pandn        xmm14,xmm0
    por          xmm4,xmm5
    por          xmm14,xmm5
    pavgb        xmm6,xmm12
    paddb        xmm8,xmm8
    por          xmm11,xmm8
    por          xmm11,xmm6
    pand         xmm6,XMMWORD PTR [rsp+0xa0]
    pandn        xmm7,xmm8
    movdqa       xmm0,XMMWORD PTR [rsp+0x10]
    por          xmm6,xmm0
    por          xmm7,xmm0
    pavgb        xmm4,xmm12
    paddb        xmm14,xmm14
    movdqa       xmm5,XMMWORD PTR [rsp+0xe0]
    por          xmm5,xmm14
    por          xmm5,xmm4
    movdqa       xmm8,xmm5
    pand         xmm4,XMMWORD PTR [rsp+0xb0]
    movdqa       xmm0,XMMWORD PTR [rsp+0xd0]
    pandn        xmm0,xmm14
    movdqa       xmm2,XMMWORD PTR [rsp+0xc0]
    por          xmm4,xmm2
    por          xmm0,xmm2
    pavgb        xmm6,xmm12
    paddb        xmm7,xmm7
    movdqa       xmm14,XMMWORD PTR [rsp+0x120]
    por          xmm14,xmm7
    por          xmm14,xmm6
    pand         xmm6,XMMWORD PTR [rsp+0xf0]
    pandn        xmm3,xmm7
    movdqa       xmm2,XMMWORD PTR [rsp+0x100]
    por          xmm6,xmm2
    por          xmm3,xmm2
    pavgb        xmm6,xmm12
    paddb        xmm3,xmm3
    por          xmm3,xmm6
    pavgb        xmm4,xmm12
    paddb        xmm0,xmm0
    movdqa       xmm2,XMMWORD PTR [rsp+0x150]
    por          xmm2,xmm0
    por          xmm2,xmm4
    movdqa       xmm5,xmm2
    pand         xmm4,XMMWORD PTR [rsp+0x130]
    movdqa       xmm2,XMMWORD PTR [rsp+0x140]
    pandn        xmm2,xmm0
    movdqa       xmm0,XMMWORD PTR [rsp+0x160]
    por          xmm4,xmm0
    por          xmm2,xmm0
    pavgb        xmm4,xmm12
    paddb        xmm2,xmm2
    por          xmm2,xmm4
    movdqa       xmm0,xmm2
    movdqa       xmm2,xmm10
    pandn        xmm2,xmm0
    movdqa       xmm4,xmm10
    pandn        xmm4,xmm5
    movdqa       xmm6,xmm10
    pandn        xmm6,xmm8
    movdqa       xmm5,xmm10
    pandn        xmm5,xmm13
    movdqa       xmm7,xmm10
    pandn        xmm7,xmm1
    movdqa       xmm1,xmm10
    pandn        xmm1,xmm11
    movdqa       xmm9,xmm10
    pandn        xmm9,xmm14
    pandn        xmm10,xmm3
    movdqa       xmm0,xmm2
    punpcklbw    xmm0,xmm7
    punpckhbw    xmm2,xmm7
    movdqa       xmm8,xmm4
    punpcklbw    xmm8,xmm1
    punpckhbw    xmm4,xmm1
    movdqa       xmm1,xmm6
    punpcklbw    xmm1,xmm9
    punpckhbw    xmm6,xmm9
    movdqa       xmm7,xmm5
    punpcklbw    xmm7,xmm10
    punpckhbw    xmm5,xmm10
    movdqa       xmm3,xmm0
    punpcklbw    xmm3,xmm1
    punpckhbw    xmm0,xmm1
    movdqa       xmm10,xmm8
    punpcklbw    xmm10,xmm7
    punpckhbw    xmm8,xmm7
    movdqa       xmm1,xmm2
    punpcklbw    xmm1,xmm6
    punpckhbw    xmm2,xmm6
    movdqa       xmm11,xmm4
    punpcklbw    xmm11,xmm5
    punpckhbw    xmm4,xmm5
    movdqa       xmm9,xmm3
    punpcklbw    xmm9,xmm10
    punpckhbw    xmm3,xmm10
    movdqa       xmm7,xmm0
    punpcklbw    xmm7,xmm8
    punpckhbw    xmm0,xmm8
    movdqa       xmm6,xmm1
    punpcklbw    xmm6,xmm11
    punpckhbw    xmm1,xmm11
    movdqa       xmm5,xmm2
    punpcklbw    xmm5,xmm4
    punpckhbw    xmm2,xmm4
    lea          r9,[rcx+rdi*8]
    cmp          rdx,0x200000
    jb           .1
    mov          r10d,r9d
    and          r10d,0x8
    jne          .1
    lea          r10,[rcx+rdi*8]
    add          r10,0x70
    lea          r11,[r9+0x10]
    movntdq      XMMWORD PTR [r9],xmm9
    lea          r14,[r9+0x20]
    movntdq      XMMWORD PTR [r11],xmm3
    lea          r11,[r9+0x30]
    movntdq      XMMWORD PTR [r14],xmm7
    lea          r14,[r9+0x40]
    movntdq      XMMWORD PTR [r11],xmm0
    lea          r11,[r9+0x50]
    movntdq      XMMWORD PTR [r14],xmm6
    add          r9,0x60
    movntdq      XMMWORD PTR [r11],xmm1
    movntdq      XMMWORD PTR [r9],xmm5
    movntdq      XMMWORD PTR [r10],xmm2
    cmp          rdi,r8
    jne          .2
    jmp          .out
    nop          WORD PTR [rax+rax*1+0x0]
.1:
    movdqu       XMMWORD PTR [r9],xmm9
    movdqu       XMMWORD PTR [r9+0x10],xmm3
    movdqu       XMMWORD PTR [r9+0x20],xmm7
    movdqu       XMMWORD PTR [r9+0x30],xmm0
    movdqu       XMMWORD PTR [r9+0x40],xmm6
    movdqu       XMMWORD PTR [r9+0x50],xmm1
    movdqu       XMMWORD PTR [r9+0x60],xmm5
    movdqu       XMMWORD PTR [r9+0x70],xmm2
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
