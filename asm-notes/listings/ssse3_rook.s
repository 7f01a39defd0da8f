.0:
    mov          r14,rcx
    sub          r14,rax
    jb           .out
    cmp          r14,0x10
    jb           .out
    mov          r14,r9
    sub          r14,rax
    jb           .out
    cmp          r14,0x10
    jb           .out
    movdqu       xmm15,XMMWORD PTR [rdi+rax*1]
    movdqu       xmm3,XMMWORD PTR [rdx+rax*8]
    movdqu       xmm0,XMMWORD PTR [rdx+rax*8+0x10]
    movdqu       xmm4,XMMWORD PTR [rdx+rax*8+0x20]
    movdqu       xmm1,XMMWORD PTR [rdx+rax*8+0x30]
    movdqu       xmm5,XMMWORD PTR [rdx+rax*8+0x50]
    movdqu       xmm6,XMMWORD PTR [rdx+rax*8+0x60]
    movdqu       xmm7,XMMWORD PTR [rdx+rax*8+0x70]
    movdqu       xmm2,XMMWORD PTR [rdx+rax*8+0x40]
    movdqa       xmm14,xmm3
    punpcklbw    xmm14,xmm2
    punpckhbw    xmm3,xmm2
    movdqa       xmm2,xmm0
    punpcklbw    xmm2,xmm5
    punpckhbw    xmm0,xmm5
    movdqa       xmm5,xmm4
    punpcklbw    xmm5,xmm6
    punpckhbw    xmm4,xmm6
    movdqa       xmm6,xmm1
    punpcklbw    xmm6,xmm7
    punpckhbw    xmm1,xmm7
    movdqa       xmm9,xmm14
    punpcklbw    xmm9,xmm5
    punpckhbw    xmm14,xmm5
    movdqa       xmm5,xmm2
    punpcklbw    xmm5,xmm6
    punpckhbw    xmm2,xmm6
    movdqa       xmm10,xmm3
    punpcklbw    xmm10,xmm4
    punpckhbw    xmm3,xmm4
    movdqa       xmm4,xmm0
    punpcklbw    xmm4,xmm1
    punpckhbw    xmm0,xmm1
    movdqa       xmm11,xmm9
    punpcklbw    xmm11,xmm5
    punpckhbw    xmm9,xmm5
    movdqa       xmm5,xmm14
    punpcklbw    xmm5,xmm2
    punpckhbw    xmm14,xmm2
    movdqa       xmm1,xmm10
    punpcklbw    xmm1,xmm4
    punpckhbw    xmm10,xmm4
    movdqa       xmm2,xmm3
    punpcklbw    xmm2,xmm0
    punpckhbw    xmm3,xmm0
    movdqa       xmm4,xmm11
    punpcklbw    xmm4,xmm1
    punpckhbw    xmm11,xmm1
    movdqa       xmm7,xmm9
    punpcklbw    xmm7,xmm10
    punpckhbw    xmm9,xmm10
    movdqa       xmm0,xmm5
    punpcklbw    xmm0,xmm2
    movdqa       xmm8,xmm0
    movdqa       XMMWORD PTR [rsp+0xb0],xmm0
    punpckhbw    xmm5,xmm2
    movdqa       xmm12,xmm5
    movdqa       XMMWORD PTR [rsp+0x80],xmm5
    movdqa       xmm1,xmm14
    punpcklbw    xmm1,xmm3
    movdqa       xmm13,xmm1
    punpckhbw    xmm14,xmm3
    movdqa       xmm10,XMMWORD PTR [const0]
    movdqa       xmm6,xmm15
    pshufb       xmm10,xmm15
    psrlw        xmm6,0x3
    movdqa       xmm5,XMMWORD PTR [const1]
    pand         xmm6,xmm5
    movdqa       xmm2,xmm6
    pxor         xmm1,xmm1
    pcmpeqb      xmm2,xmm1
    movdqa       xmm0,xmm2
    movdqa       XMMWORD PTR [rsp],xmm2
    movdqa       xmm1,xmm6
    pcmpeqb      xmm1,XMMWORD PTR [const2]
    movdqa       xmm2,xmm1
    movdqa       XMMWORD PTR [rsp+0x10],xmm1
    movdqa       xmm1,xmm6
    pcmpeqb      xmm1,XMMWORD PTR [const3]
    movdqa       xmm3,xmm1
    movdqa       XMMWORD PTR [rsp+0x20],xmm1
    movdqa       xmm1,xmm6
    pcmpeqb      xmm1,XMMWORD PTR [const4]
    movdqa       xmm15,xmm1
    movdqa       XMMWORD PTR [rsp+0x30],xmm1
    pand         xmm4,xmm0
    movdqa       xmm1,xmm2
    pand         xmm1,xmm11
    por          xmm1,xmm4
    movdqa       xmm2,xmm3
    pand         xmm2,xmm7
    movdqa       xmm4,xmm15
    pand         xmm4,xmm9
    por          xmm4,xmm2
    movdqa       xmm3,xmm6
    pcmpeqb      xmm3,XMMWORD PTR [const5]
    por          xmm4,xmm1
    movdqa       xmm0,xmm6
    pcmpeqb      xmm0,XMMWORD PTR [const6]
    movdqa       xmm1,xmm3
    pand         xmm1,xmm8
    movdqa       xmm2,xmm0
    movdqa       xmm8,xmm0
    pand         xmm2,xmm12
    por          xmm2,xmm1
    movdqa       xmm15,xmm6
    pcmpeqb      xmm15,XMMWORD PTR [const7]
    movdqa       xmm1,xmm15
    movdqa       xmm12,xmm15
    pand         xmm1,xmm13
    movdqa       XMMWORD PTR [rsp+0x70],xmm13
    por          xmm1,xmm2
    por          xmm1,xmm4
    pcmpeqb      xmm6,xmm5
    pand         xmm14,xmm6
    por          xmm14,xmm1
    movdqa       xmm1,xmm10
    paddb        xmm1,xmm10
    movdqa       xmm2,xmm10
    pcmpeqd      xmm4,xmm4
    paddb        xmm2,xmm4
    pxor         xmm4,xmm4
    psubb        xmm4,xmm1
    pand         xmm4,xmm14
    pand         xmm14,xmm2
    movdqa       xmm2,XMMWORD PTR [const8]
    pshufb       xmm2,xmm14
    psrlw        xmm14,0x4
    pand         xmm14,XMMWORD PTR [const9]
    movdqa       xmm5,XMMWORD PTR [const10]
    pshufb       xmm5,xmm14
    pmaxub       xmm5,xmm2
    movdqa       xmm2,xmm10
    psubb        xmm2,xmm5
    movdqa       xmm14,xmm4
    psubb        xmm14,xmm1
    pxor         xmm14,xmm4
    por          xmm14,xmm2
    movdqa       xmm1,XMMWORD PTR [rsp]
    movdqa       xmm0,xmm1
    pand         xmm0,xmm14
    movdqa       XMMWORD PTR [rsp+0x90],xmm0
    movdqa       xmm0,XMMWORD PTR [rsp+0x10]
    movdqa       xmm2,xmm0
    pand         xmm2,xmm14
    movdqa       XMMWORD PTR [rsp+0xa0],xmm2
    movdqa       xmm15,XMMWORD PTR [rsp+0x20]
    movdqa       xmm2,xmm15
    pand         xmm2,xmm14
    movdqa       XMMWORD PTR [rsp+0xc0],xmm2
    movdqa       xmm4,XMMWORD PTR [rsp+0x30]
    movdqa       xmm2,xmm4
    pand         xmm2,xmm14
    movdqa       XMMWORD PTR [rsp+0xd0],xmm2
    movdqa       xmm2,xmm3
    pand         xmm2,xmm14
    movdqa       XMMWORD PTR [rsp+0xe0],xmm2
    movdqa       xmm2,xmm8
    pand         xmm2,xmm14
    movdqa       XMMWORD PTR [rsp+0xf0],xmm2
    movdqa       xmm2,xmm12
    movdqa       xmm5,xmm12
    pand         xmm5,xmm14
    movdqa       XMMWORD PTR [rsp+0x40],xmm5
    pand         xmm14,xmm6
    pand         xmm1,xmm10
    movdqa       xmm12,xmm1
    movdqa       XMMWORD PTR [rsp],xmm1
    movdqa       xmm1,xmm0
    pand         xmm1,xmm10
    movdqa       XMMWORD PTR [rsp+0x10],xmm1
    pand         xmm15,xmm10
    movdqa       xmm0,xmm15
    pand         xmm4,xmm10
    movdqa       xmm15,xmm4
    pand         xmm3,xmm10
    movdqa       XMMWORD PTR [rsp+0x60],xmm3
    pand         xmm8,xmm10
    pand         xmm2,xmm10
    movdqa       XMMWORD PTR [rsp+0x30],xmm2
    pand         xmm6,xmm10
    movdqa       XMMWORD PTR [rsp+0x20],xmm6
    movdqa       xmm5,xmm11
    pandn        xmm5,xmm12
    por          xmm5,xmm1
    movdqa       xmm4,xmm13
    pandn        xmm4,xmm6
    por          xmm4,xmm2
    movdqa       xmm6,xmm7
    pandn        xmm6,xmm5
    por          xmm6,xmm0
    movdqa       xmm12,xmm0
    movdqa       xmm2,XMMWORD PTR [rsp+0x80]
    movdqa       xmm3,xmm2
    pandn        xmm3,xmm4
    por          xmm3,xmm8
    movdqa       xmm13,xmm9
    pandn        xmm13,xmm6
    por          xmm13,xmm15
    movdqa       xmm0,XMMWORD PTR [rsp+0xb0]
    movdqa       xmm10,xmm0
    pandn        xmm10,xmm3
    movdqa       xmm1,XMMWORD PTR [rsp+0x60]
    por          xmm10,xmm1
    pandn        xmm0,xmm13
    por          xmm0,xmm1
    pandn        xmm9,xmm10
    por          xmm9,xmm15
    pandn        xmm2,xmm0
    por          xmm2,xmm8
    pandn        xmm7,xmm9
    por          xmm7,xmm12
    pandn        xmm11,xmm7
    por          xmm11,XMMWORD PTR [rsp+0x10]
    por          xmm11,XMMWORD PTR [rsp+0x90]
    por          xmm7,XMMWORD PTR [rsp]
    por          xmm7,XMMWORD PTR [rsp+0xa0]
    por          xmm9,xmm5
    por          xmm9,XMMWORD PTR [rsp+0xc0]
    por          xmm10,xmm6
    por          xmm10,XMMWORD PTR [rsp+0xd0]
    por          xmm13,xmm3
    por          xmm13,XMMWORD PTR [rsp+0xe0]
    por          xmm0,xmm4
    por          xmm0,XMMWORD PTR [rsp+0xf0]
    movdqa       xmm1,XMMWORD PTR [rsp+0x70]
    pandn        xmm1,xmm2
    por          xmm2,XMMWORD PTR [rsp+0x20]
    por          xmm2,XMMWORD PTR [rsp+0x40]
    movdqa       xmm4,xmm2
    por          xmm1,XMMWORD PTR [rsp+0x30]
    por          xmm1,xmm14
    movdqa       xmm2,xmm1
    movdqa       xmm3,xmm11
    punpcklbw    xmm3,xmm13
    punpckhbw    xmm11,xmm13
    movdqa       xmm1,xmm7
    punpcklbw    xmm1,xmm0
    punpckhbw    xmm7,xmm0
    movdqa       xmm0,xmm9
    punpcklbw    xmm0,xmm4
    punpckhbw    xmm9,xmm4
    movdqa       xmm4,xmm10
    punpcklbw    xmm4,xmm2
    punpckhbw    xmm10,xmm2
    movdqa       xmm2,xmm3
    punpcklbw    xmm2,xmm0
    punpckhbw    xmm3,xmm0
    movdqa       xmm5,xmm1
    punpcklbw    xmm5,xmm4
    punpckhbw    xmm1,xmm4
    movdqa       xmm0,xmm11
    punpcklbw    xmm0,xmm9
    punpckhbw    xmm11,xmm9
    movdqa       xmm4,xmm7
    punpcklbw    xmm4,xmm10
    punpckhbw    xmm7,xmm10
    movdqa       xmm6,xmm2
    punpcklbw    xmm6,xmm5
    punpckhbw    xmm2,xmm5
    movdqa       xmm5,xmm3
    punpcklbw    xmm5,xmm1
    punpckhbw    xmm3,xmm1
    movdqa       xmm1,xmm0
    punpcklbw    xmm1,xmm4
    punpckhbw    xmm0,xmm4
    movdqa       xmm4,xmm11
    punpcklbw    xmm4,xmm7
    punpckhbw    xmm11,xmm7
    lea          r14,[r8+rax*8]
    cmp          rbx,0x200000
    jb           .1
    mov          ebp,r14d
    and          ebp,0x8
    jne          .1
    lea          r10,[r8+rax*8]
    add          r10,0x10
    lea          r12,[r8+rax*8+0x20]
    lea          r13,[r8+rax*8+0x30]
    lea          rbp,[r8+rax*8+0x40]
    mov          QWORD PTR [rsp+0x40],rbp
    lea          rbp,[r8+rax*8+0x50]
    mov          QWORD PTR [rsp],rbp
    lea          rbp,[r8+rax*8+0x60]
    mov          QWORD PTR [rsp+0x10],rbp
    movntdq      XMMWORD PTR [r14],xmm6
    movntdq      XMMWORD PTR [r10],xmm2
    movntdq      XMMWORD PTR [r12],xmm5
    movntdq      XMMWORD PTR [r13+0x0],xmm3
    mov          r10,QWORD PTR [rsp+0x40]
    movntdq      XMMWORD PTR [r10],xmm1
    mov          r10,QWORD PTR [rsp]
    movntdq      XMMWORD PTR [r10],xmm0
    mov          r10,QWORD PTR [rsp+0x10]
    movntdq      XMMWORD PTR [r10],xmm4
    lea          r10,[r8+rax*8]
    add          r10,0x70
    movntdq      XMMWORD PTR [r10],xmm11
    cmp          rax,r15
    jne          .2
    jmp          .out
    nop          WORD PTR [rax+rax*1+0x0]
.1:
    movdqu       XMMWORD PTR [r14],xmm6
    movdqu       XMMWORD PTR [r14+0x10],xmm2
    movdqu       XMMWORD PTR [r14+0x20],xmm5
    movdqu       XMMWORD PTR [r14+0x30],xmm3
    movdqu       XMMWORD PTR [r14+0x40],xmm1
    movdqu       XMMWORD PTR [r14+0x50],xmm0
    movdqu       XMMWORD PTR [r14+0x60],xmm4
    movdqu       XMMWORD PTR [r14+0x70],xmm11
    cmp          rax,r15
    je           .out
.2:
    test         rax,rax
    lea          rax,[rax+0x10]
    cmove        rax,r11
    cmp          rax,r15
    cmovae       rax,r15
    mov          r10,rsi
    sub          r10,rax
    cmp          r10,0x10
    jae          .0
