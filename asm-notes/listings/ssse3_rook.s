.0:
    mov          r14,QWORD PTR [rsp+0x40]
    sub          r14,rax
    jb           .out
    cmp          r14,0x10
    jb           .out
    mov          r14,QWORD PTR [rsp+0x38]
    sub          r14,rax
    jb           .out
    cmp          r14,0x10
    jb           .out
    movdqu       xmm10,XMMWORD PTR [rdi+rax*1]
    movdqu       xmm0,XMMWORD PTR [rdx+rax*8]
    movdqu       xmm1,XMMWORD PTR [rdx+rax*8+0x10]
    movdqu       xmm4,XMMWORD PTR [rdx+rax*8+0x20]
    movdqu       xmm2,XMMWORD PTR [rdx+rax*8+0x30]
    movdqu       xmm3,XMMWORD PTR [rdx+rax*8+0x50]
    movdqu       xmm6,XMMWORD PTR [rdx+rax*8+0x60]
    movdqu       xmm7,XMMWORD PTR [rdx+rax*8+0x70]
    movdqu       xmm5,XMMWORD PTR [rdx+rax*8+0x40]
    movdqa       xmm14,xmm0
    punpcklbw    xmm14,xmm5
    punpckhbw    xmm0,xmm5
    movdqa       xmm5,xmm1
    punpcklbw    xmm5,xmm3
    punpckhbw    xmm1,xmm3
    movdqa       xmm8,xmm4
    punpcklbw    xmm8,xmm6
    punpckhbw    xmm4,xmm6
    movdqa       xmm6,xmm2
    punpcklbw    xmm6,xmm7
    punpckhbw    xmm2,xmm7
    movdqa       xmm3,xmm14
    punpcklbw    xmm3,xmm8
    punpckhbw    xmm14,xmm8
    movdqa       xmm7,xmm5
    punpcklbw    xmm7,xmm6
    punpckhbw    xmm5,xmm6
    movdqa       xmm6,xmm0
    punpcklbw    xmm6,xmm4
    punpckhbw    xmm0,xmm4
    movdqa       xmm8,xmm1
    punpcklbw    xmm8,xmm2
    punpckhbw    xmm1,xmm2
    movdqa       xmm9,xmm3
    punpcklbw    xmm9,xmm7
    punpckhbw    xmm3,xmm7
    movdqa       xmm4,xmm14
    punpcklbw    xmm4,xmm5
    punpckhbw    xmm14,xmm5
    movdqa       xmm2,xmm6
    punpcklbw    xmm2,xmm8
    punpckhbw    xmm6,xmm8
    movdqa       xmm5,xmm0
    punpcklbw    xmm5,xmm1
    punpckhbw    xmm0,xmm1
    movdqa       xmm1,xmm9
    punpcklbw    xmm1,xmm2
    punpckhbw    xmm9,xmm2
    movdqa       XMMWORD PTR [rsp+0x60],xmm9
    movdqa       xmm12,xmm3
    punpcklbw    xmm12,xmm6
    punpckhbw    xmm3,xmm6
    movdqa       xmm7,xmm4
    punpcklbw    xmm7,xmm5
    movdqa       XMMWORD PTR [rsp+0xf0],xmm7
    punpckhbw    xmm4,xmm5
    movdqa       xmm15,xmm14
    punpcklbw    xmm15,xmm0
    movdqa       XMMWORD PTR [rsp+0xb0],xmm15
    punpckhbw    xmm14,xmm0
    movdqa       xmm5,XMMWORD PTR [const0]
    pshufb       xmm5,xmm10
    psrlw        xmm10,0x3
    movdqa       xmm6,XMMWORD PTR [const1]
    pand         xmm10,xmm6
    movdqa       xmm2,xmm10
    pxor         xmm0,xmm0
    pcmpeqb      xmm2,xmm0
    movdqa       xmm13,xmm2
    movdqa       XMMWORD PTR [rsp+0x70],xmm2
    movdqa       xmm0,xmm10
    pcmpeqb      xmm0,XMMWORD PTR [const2]
    movdqa       xmm11,xmm0
    movdqa       XMMWORD PTR [rsp+0x80],xmm0
    movdqa       xmm0,xmm10
    pcmpeqb      xmm0,XMMWORD PTR [const3]
    movdqa       xmm2,xmm0
    movdqa       xmm0,xmm10
    pcmpeqb      xmm0,XMMWORD PTR [const4]
    movdqa       xmm8,xmm0
    movdqa       XMMWORD PTR [rsp+0x90],xmm0
    pand         xmm1,xmm13
    movdqa       xmm0,xmm11
    pand         xmm0,xmm9
    por          xmm0,xmm1
    movdqa       xmm1,xmm2
    movdqa       xmm11,xmm2
    movdqa       XMMWORD PTR [rsp+0xe0],xmm2
    pand         xmm1,xmm12
    movdqa       xmm2,xmm8
    pand         xmm2,xmm3
    por          xmm2,xmm1
    movdqa       xmm1,xmm10
    pcmpeqb      xmm1,XMMWORD PTR [const5]
    movdqa       XMMWORD PTR [rsp+0xa0],xmm1
    por          xmm2,xmm0
    movdqa       xmm8,xmm10
    pcmpeqb      xmm8,XMMWORD PTR [const6]
    movdqa       xmm0,xmm1
    pand         xmm0,xmm7
    movdqa       xmm1,xmm8
    movdqa       xmm13,xmm8
    movdqa       XMMWORD PTR [rsp+0x100],xmm8
    pand         xmm1,xmm4
    por          xmm1,xmm0
    movdqa       xmm8,xmm10
    pcmpeqb      xmm8,XMMWORD PTR [const7]
    movdqa       xmm0,xmm8
    movdqa       xmm9,xmm8
    movdqa       XMMWORD PTR [rsp+0x120],xmm8
    pand         xmm0,xmm15
    por          xmm0,xmm1
    por          xmm0,xmm2
    pcmpeqb      xmm10,xmm6
    pand         xmm14,xmm10
    movdqa       xmm7,xmm10
    movdqa       XMMWORD PTR [rsp+0x130],xmm10
    por          xmm14,xmm0
    movdqa       xmm0,xmm5
    paddb        xmm0,xmm5
    movdqa       xmm1,xmm5
    pcmpeqd      xmm2,xmm2
    paddb        xmm1,xmm2
    pxor         xmm2,xmm2
    psubb        xmm2,xmm0
    pand         xmm2,xmm14
    pand         xmm14,xmm1
    movdqa       xmm1,XMMWORD PTR [const8]
    pshufb       xmm1,xmm14
    psrlw        xmm14,0x4
    pand         xmm14,XMMWORD PTR [const9]
    movdqa       xmm6,XMMWORD PTR [const10]
    pshufb       xmm6,xmm14
    pmaxub       xmm6,xmm1
    movdqa       xmm1,xmm5
    psubb        xmm1,xmm6
    movdqa       xmm14,xmm2
    psubb        xmm14,xmm0
    pxor         xmm14,xmm2
    por          xmm14,xmm1
    movdqa       xmm0,XMMWORD PTR [rsp+0x70]
    pand         xmm0,xmm5
    movdqa       xmm1,xmm0
    movdqa       XMMWORD PTR [rsp+0xd0],xmm0
    movdqa       xmm0,XMMWORD PTR [rsp+0x80]
    pand         xmm0,xmm5
    movdqa       xmm2,xmm0
    movdqa       XMMWORD PTR [rsp+0xc0],xmm0
    movdqa       xmm8,xmm11
    pand         xmm8,xmm5
    movdqa       xmm11,XMMWORD PTR [rsp+0x90]
    pand         xmm11,xmm5
    movdqa       xmm15,XMMWORD PTR [rsp+0xa0]
    pand         xmm15,xmm5
    movdqa       xmm10,xmm13
    pand         xmm10,xmm5
    movdqa       xmm0,xmm9
    pand         xmm0,xmm5
    movdqa       XMMWORD PTR [rsp+0x110],xmm0
    pand         xmm5,xmm7
    movdqa       xmm7,XMMWORD PTR [rsp+0x60]
    pandn        xmm7,xmm1
    por          xmm7,xmm2
    movdqa       xmm6,XMMWORD PTR [rsp+0xb0]
    pandn        xmm6,xmm5
    por          xmm6,xmm0
    movdqa       xmm1,xmm12
    pandn        xmm1,xmm7
    por          xmm1,xmm8
    movdqa       xmm2,xmm4
    pandn        xmm2,xmm6
    por          xmm2,xmm10
    movdqa       xmm13,xmm3
    pandn        xmm13,xmm1
    por          xmm13,xmm11
    movdqa       xmm0,XMMWORD PTR [rsp+0xf0]
    movdqa       xmm9,xmm0
    pandn        xmm9,xmm2
    por          xmm9,xmm15
    pandn        xmm0,xmm13
    por          xmm0,xmm15
    pandn        xmm3,xmm9
    por          xmm3,xmm11
    pandn        xmm4,xmm0
    movdqa       xmm11,xmm0
    por          xmm4,xmm10
    pandn        xmm12,xmm3
    por          xmm12,xmm8
    movdqa       xmm0,XMMWORD PTR [rsp+0x60]
    pandn        xmm0,xmm12
    por          xmm0,XMMWORD PTR [rsp+0xc0]
    movdqa       xmm8,XMMWORD PTR [rsp+0x70]
    pand         xmm8,xmm14
    por          xmm0,xmm8
    por          xmm12,XMMWORD PTR [rsp+0xd0]
    movdqa       xmm8,XMMWORD PTR [rsp+0x80]
    pand         xmm8,xmm14
    por          xmm12,xmm8
    por          xmm3,xmm7
    movdqa       xmm7,XMMWORD PTR [rsp+0xe0]
    pand         xmm7,xmm14
    por          xmm3,xmm7
    por          xmm9,xmm1
    movdqa       xmm1,XMMWORD PTR [rsp+0x90]
    pand         xmm1,xmm14
    por          xmm9,xmm1
    por          xmm13,xmm2
    movdqa       xmm1,XMMWORD PTR [rsp+0xa0]
    pand         xmm1,xmm14
    por          xmm13,xmm1
    movdqa       xmm1,xmm11
    por          xmm1,xmm6
    movdqa       xmm2,XMMWORD PTR [rsp+0x100]
    pand         xmm2,xmm14
    por          xmm1,xmm2
    movdqa       xmm2,xmm1
    movdqa       xmm1,XMMWORD PTR [rsp+0xb0]
    pandn        xmm1,xmm4
    por          xmm4,xmm5
    movdqa       xmm5,XMMWORD PTR [rsp+0x120]
    pand         xmm5,xmm14
    por          xmm4,xmm5
    pand         xmm14,XMMWORD PTR [rsp+0x130]
    por          xmm1,XMMWORD PTR [rsp+0x110]
    por          xmm1,xmm14
    movdqa       xmm5,xmm0
    punpcklbw    xmm5,xmm13
    punpckhbw    xmm0,xmm13
    movdqa       xmm7,xmm12
    punpcklbw    xmm7,xmm2
    punpckhbw    xmm12,xmm2
    movdqa       xmm2,xmm3
    punpcklbw    xmm2,xmm4
    punpckhbw    xmm3,xmm4
    movdqa       xmm4,xmm9
    punpcklbw    xmm4,xmm1
    punpckhbw    xmm9,xmm1
    movdqa       xmm1,xmm5
    punpcklbw    xmm1,xmm2
    punpckhbw    xmm5,xmm2
    movdqa       xmm8,xmm7
    punpcklbw    xmm8,xmm4
    punpckhbw    xmm7,xmm4
    movdqa       xmm2,xmm0
    punpcklbw    xmm2,xmm3
    punpckhbw    xmm0,xmm3
    movdqa       xmm10,xmm12
    punpcklbw    xmm10,xmm9
    punpckhbw    xmm12,xmm9
    movdqa       xmm6,xmm1
    punpcklbw    xmm6,xmm8
    punpckhbw    xmm1,xmm8
    movdqa       xmm4,xmm5
    punpcklbw    xmm4,xmm7
    punpckhbw    xmm5,xmm7
    movdqa       xmm7,xmm0
    movdqa       xmm3,xmm2
    punpcklbw    xmm3,xmm10
    punpckhbw    xmm2,xmm10
    punpcklbw    xmm0,xmm12
    punpckhbw    xmm7,xmm12
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
    movntdq      XMMWORD PTR [r15],xmm1
    movntdq      XMMWORD PTR [r12],xmm4
    movntdq      XMMWORD PTR [r13+0x0],xmm5
    movntdq      XMMWORD PTR [r11],xmm3
    movntdq      XMMWORD PTR [r10],xmm2
    mov          r10,rsi
    movntdq      XMMWORD PTR [r9],xmm0
    mov          r9,QWORD PTR [rsp+0x48]
    movntdq      XMMWORD PTR [rbx],xmm7
    cmp          rax,rcx
    jne          .2
    jmp          .out
    nop          DWORD PTR [rax]
.1:
    movdqu       XMMWORD PTR [r14],xmm6
    movdqu       XMMWORD PTR [r14+0x10],xmm1
    movdqu       XMMWORD PTR [r14+0x20],xmm4
    movdqu       XMMWORD PTR [r14+0x30],xmm5
    movdqu       XMMWORD PTR [r14+0x40],xmm3
    movdqu       XMMWORD PTR [r14+0x50],xmm2
    movdqu       XMMWORD PTR [r14+0x60],xmm0
    movdqu       XMMWORD PTR [r14+0x70],xmm7
    cmp          rax,rcx
    je           .out
.2:
    test         rax,rax
    lea          rax,[rax+0x10]
    cmove        rax,r10
    cmp          rax,rcx
    cmovae       rax,rcx
    mov          rsi,QWORD PTR [rsp+0x50]
    sub          rsi,rax
    cmp          rsi,0x10
    jae          .0
