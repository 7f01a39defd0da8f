.0:
    mov          r14,QWORD PTR [rsp+0x30]
    sub          r14,rax
    jb           .out
    cmp          r14,0x10
    jb           .out
    mov          r14,QWORD PTR [rsp+0x28]
    sub          r14,rax
    jb           .out
    cmp          r14,0x10
    jb           .out
    movdqu       xmm0,XMMWORD PTR [rdi+rax*1]
    movdqu       xmm2,XMMWORD PTR [rdx+rax*8]
    movdqu       xmm5,XMMWORD PTR [rdx+rax*8+0x10]
    movdqu       xmm6,XMMWORD PTR [rdx+rax*8+0x20]
    movdqu       xmm3,XMMWORD PTR [rdx+rax*8+0x30]
    movdqu       xmm4,XMMWORD PTR [rdx+rax*8+0x50]
    movdqu       xmm7,XMMWORD PTR [rdx+rax*8+0x60]
    movdqu       xmm9,XMMWORD PTR [rdx+rax*8+0x70]
    movdqu       xmm8,XMMWORD PTR [rdx+rax*8+0x40]
    movdqa       xmm1,xmm2
    punpcklbw    xmm1,xmm8
    punpckhbw    xmm2,xmm8
    movdqa       xmm8,xmm5
    punpcklbw    xmm8,xmm4
    punpckhbw    xmm5,xmm4
    movdqa       xmm10,xmm6
    punpcklbw    xmm10,xmm7
    punpckhbw    xmm6,xmm7
    movdqa       xmm7,xmm3
    punpcklbw    xmm7,xmm9
    punpckhbw    xmm3,xmm9
    movdqa       xmm4,xmm1
    punpcklbw    xmm4,xmm10
    punpckhbw    xmm1,xmm10
    movdqa       xmm9,xmm8
    punpcklbw    xmm9,xmm7
    punpckhbw    xmm8,xmm7
    movdqa       xmm10,xmm2
    punpcklbw    xmm10,xmm6
    punpckhbw    xmm2,xmm6
    movdqa       xmm11,xmm5
    punpcklbw    xmm11,xmm3
    punpckhbw    xmm5,xmm3
    movdqa       xmm3,xmm4
    punpcklbw    xmm3,xmm9
    movdqa       xmm7,xmm3
    punpckhbw    xmm4,xmm9
    movdqa       xmm6,xmm1
    punpcklbw    xmm6,xmm8
    punpckhbw    xmm1,xmm8
    movdqa       xmm3,xmm10
    punpcklbw    xmm3,xmm11
    punpckhbw    xmm7,xmm3
    movdqa       XMMWORD PTR [rsp+0x60],xmm7
    punpckhbw    xmm10,xmm11
    movdqa       xmm8,xmm2
    punpcklbw    xmm8,xmm5
    punpckhbw    xmm2,xmm5
    punpcklbw    xmm1,xmm2
    movdqa       xmm3,xmm4
    punpcklbw    xmm3,xmm10
    punpckhbw    xmm4,xmm10
    movdqa       xmm12,xmm6
    punpcklbw    xmm12,xmm8
    punpckhbw    xmm6,xmm8
    movdqa       xmm2,xmm0
    psrlw        xmm2,0x3
    movdqa       xmm5,XMMWORD PTR [const0]
    pshufb       xmm5,xmm0
    movdqa       XMMWORD PTR [rsp+0x50],xmm5
    movdqa       xmm7,XMMWORD PTR [const1]
    pand         xmm0,xmm7
    pand         xmm2,xmm7
    movdqa       xmm5,xmm0
    psubb        xmm5,xmm2
    paddb        xmm5,xmm7
    movdqa       xmm7,XMMWORD PTR [const2]
    pshufb       xmm7,xmm5
    movdqa       XMMWORD PTR [rsp+0x110],xmm7
    movdqa       xmm7,XMMWORD PTR [const3]
    pshufb       xmm7,xmm5
    movdqa       XMMWORD PTR [rsp+0x70],xmm7
    movdqa       xmm10,XMMWORD PTR [const4]
    pshufb       xmm10,xmm5
    movdqa       XMMWORD PTR [rsp+0xd0],xmm10
    movdqa       xmm11,XMMWORD PTR [const5]
    pshufb       xmm11,xmm5
    movdqa       XMMWORD PTR [rsp+0xe0],xmm11
    movdqa       xmm8,XMMWORD PTR [const6]
    movdqa       xmm13,xmm8
    pshufb       xmm13,xmm5
    movdqa       XMMWORD PTR [rsp+0x100],xmm13
    movdqa       xmm9,XMMWORD PTR [const7]
    movdqa       xmm7,xmm9
    pshufb       xmm7,xmm5
    movdqa       XMMWORD PTR [rsp+0x80],xmm7
    movdqa       xmm15,XMMWORD PTR [const8]
    movdqa       xmm7,xmm15
    pshufb       xmm7,xmm5
    movdqa       XMMWORD PTR [rsp+0x90],xmm7
    movq         xmm7,QWORD PTR [const9]
    movdqa       xmm14,xmm7
    pshufb       xmm14,xmm5
    movdqa       XMMWORD PTR [rsp+0x130],xmm14
    paddb        xmm2,xmm0
    pshufb       xmm7,xmm2
    movdqa       XMMWORD PTR [rsp+0xf0],xmm7
    pshufb       xmm15,xmm2
    pshufb       xmm9,xmm2
    pshufb       xmm8,xmm2
    movdqa       xmm0,XMMWORD PTR [const5]
    pshufb       xmm0,xmm2
    movdqa       XMMWORD PTR [rsp+0xa0],xmm0
    movdqa       xmm0,XMMWORD PTR [const4]
    pshufb       xmm0,xmm2
    movdqa       XMMWORD PTR [rsp+0xb0],xmm0
    movdqa       xmm0,XMMWORD PTR [const3]
    pshufb       xmm0,xmm2
    movdqa       XMMWORD PTR [rsp+0xc0],xmm0
    movdqa       xmm0,XMMWORD PTR [const2]
    pshufb       xmm0,xmm2
    movdqa       XMMWORD PTR [rsp+0x120],xmm0
    movdqa       xmm0,XMMWORD PTR [rsp+0x60]
    pand         xmm0,XMMWORD PTR [rsp+0x70]
    pand         xmm10,xmm3
    por          xmm10,xmm0
    pand         xmm11,xmm4
    pand         xmm13,xmm12
    por          xmm13,xmm11
    por          xmm13,xmm10
    movdqa       xmm0,XMMWORD PTR [rsp+0x80]
    pand         xmm0,xmm6
    movdqa       xmm14,XMMWORD PTR [rsp+0x90]
    pand         xmm14,xmm1
    por          xmm14,xmm0
    por          xmm14,xmm13
    movdqa       xmm7,XMMWORD PTR [rsp+0x50]
    movdqa       xmm13,xmm7
    pcmpeqd      xmm0,xmm0
    paddb        xmm13,xmm0
    movdqa       xmm0,xmm14
    pand         xmm0,xmm13
    movdqa       xmm11,XMMWORD PTR [const10]
    pshufb       xmm11,xmm0
    movdqa       xmm2,xmm13
    pand         xmm2,XMMWORD PTR [const11]
    movdqa       xmm10,xmm14
    pand         xmm14,xmm2
    psrlw        xmm14,0x4
    movdqa       xmm0,XMMWORD PTR [const12]
    pshufb       xmm0,xmm14
    pmaxub       xmm0,xmm11
    movdqa       xmm14,xmm7
    psubb        xmm7,xmm0
    paddb        xmm14,xmm14
    pxor         xmm11,xmm11
    psubb        xmm11,xmm14
    pand         xmm10,xmm11
    movdqa       xmm0,xmm10
    psubb        xmm0,xmm14
    pxor         xmm0,xmm10
    por          xmm0,xmm7
    movdqa       xmm7,XMMWORD PTR [rsp+0x60]
    pand         xmm7,xmm15
    pand         xmm3,xmm9
    por          xmm3,xmm7
    pand         xmm4,xmm8
    movdqa       xmm5,XMMWORD PTR [rsp+0xa0]
    pand         xmm12,xmm5
    por          xmm12,xmm4
    por          xmm12,xmm3
    movdqa       xmm4,XMMWORD PTR [rsp+0xb0]
    pand         xmm6,xmm4
    movdqa       xmm7,XMMWORD PTR [rsp+0xc0]
    pand         xmm1,xmm7
    por          xmm1,xmm6
    por          xmm1,xmm12
    pand         xmm13,xmm1
    movdqa       xmm3,XMMWORD PTR [const10]
    pshufb       xmm3,xmm13
    pand         xmm11,xmm1
    pand         xmm1,xmm2
    psrlw        xmm1,0x4
    movdqa       xmm2,XMMWORD PTR [const12]
    pshufb       xmm2,xmm1
    pmaxub       xmm2,xmm3
    movdqa       xmm3,XMMWORD PTR [rsp+0x50]
    psubb        xmm3,xmm2
    movdqa       xmm1,xmm11
    psubb        xmm1,xmm14
    pxor         xmm1,xmm11
    por          xmm1,xmm3
    movdqa       xmm2,XMMWORD PTR [rsp+0x110]
    pand         xmm2,xmm0
    movdqa       xmm10,XMMWORD PTR [rsp+0xf0]
    pand         xmm10,xmm1
    por          xmm10,xmm2
    movdqa       xmm2,XMMWORD PTR [rsp+0x70]
    pand         xmm2,xmm0
    pand         xmm15,xmm1
    por          xmm15,xmm2
    movdqa       xmm2,XMMWORD PTR [rsp+0xd0]
    pand         xmm2,xmm0
    pand         xmm9,xmm1
    por          xmm9,xmm2
    movdqa       xmm2,XMMWORD PTR [rsp+0xe0]
    pand         xmm2,xmm0
    pand         xmm8,xmm1
    por          xmm8,xmm2
    movdqa       xmm2,XMMWORD PTR [rsp+0x100]
    pand         xmm2,xmm0
    movdqa       xmm3,xmm5
    pand         xmm3,xmm1
    por          xmm3,xmm2
    movdqa       xmm5,xmm3
    movdqa       xmm3,XMMWORD PTR [rsp+0x80]
    pand         xmm3,xmm0
    movdqa       xmm2,xmm4
    pand         xmm2,xmm1
    por          xmm2,xmm3
    movdqa       xmm4,xmm2
    movdqa       xmm3,XMMWORD PTR [rsp+0x90]
    pand         xmm3,xmm0
    movdqa       xmm2,xmm7
    pand         xmm2,xmm1
    por          xmm2,xmm3
    pand         xmm0,XMMWORD PTR [rsp+0x130]
    pand         xmm1,XMMWORD PTR [rsp+0x120]
    por          xmm1,xmm0
    movdqa       xmm0,xmm10
    punpcklbw    xmm0,xmm5
    punpckhbw    xmm10,xmm5
    movdqa       xmm3,xmm15
    punpcklbw    xmm3,xmm4
    punpckhbw    xmm15,xmm4
    movdqa       xmm4,xmm9
    punpcklbw    xmm4,xmm2
    punpckhbw    xmm9,xmm2
    movdqa       xmm5,xmm8
    punpcklbw    xmm5,xmm1
    punpckhbw    xmm8,xmm1
    movdqa       xmm2,xmm0
    punpcklbw    xmm2,xmm4
    punpckhbw    xmm0,xmm4
    movdqa       xmm4,xmm3
    punpcklbw    xmm4,xmm5
    punpckhbw    xmm3,xmm5
    movdqa       xmm1,xmm10
    punpcklbw    xmm1,xmm9
    punpckhbw    xmm10,xmm9
    movdqa       xmm7,xmm15
    punpcklbw    xmm7,xmm8
    punpckhbw    xmm15,xmm8
    movdqa       xmm6,xmm2
    punpcklbw    xmm6,xmm4
    punpckhbw    xmm2,xmm4
    movdqa       xmm5,xmm0
    punpcklbw    xmm5,xmm3
    punpckhbw    xmm0,xmm3
    movdqa       xmm4,xmm1
    punpcklbw    xmm4,xmm7
    punpckhbw    xmm1,xmm7
    movdqa       xmm7,xmm10
    movdqa       xmm3,xmm10
    punpcklbw    xmm3,xmm15
    punpckhbw    xmm7,xmm15
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
    movntdq      XMMWORD PTR [r15],xmm2
    movntdq      XMMWORD PTR [r12],xmm5
    movntdq      XMMWORD PTR [r13+0x0],xmm0
    movntdq      XMMWORD PTR [r11],xmm4
    movntdq      XMMWORD PTR [r10],xmm1
    mov          r10,rsi
    movntdq      XMMWORD PTR [r9],xmm3
    mov          r9,QWORD PTR [rsp+0x38]
    movntdq      XMMWORD PTR [rbx],xmm7
    cmp          rax,rcx
    jne          .2
    jmp          .out
.1:
    movdqu       XMMWORD PTR [r14],xmm6
    movdqu       XMMWORD PTR [r14+0x10],xmm2
    movdqu       XMMWORD PTR [r14+0x20],xmm5
    movdqu       XMMWORD PTR [r14+0x30],xmm0
    movdqu       XMMWORD PTR [r14+0x40],xmm4
    movdqu       XMMWORD PTR [r14+0x50],xmm1
    movdqu       XMMWORD PTR [r14+0x60],xmm3
    movdqu       XMMWORD PTR [r14+0x70],xmm7
    cmp          rax,rcx
    je           .out
.2:
    test         rax,rax
    lea          rax,[rax+0x10]
    cmove        rax,r10
    cmp          rax,rcx
    cmovae       rax,rcx
    mov          rsi,QWORD PTR [rsp+0x40]
    sub          rsi,rax
    cmp          rsi,0x10
    jae          .0
