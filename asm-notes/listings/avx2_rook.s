.0:
    mov          r14,rsi
    sub          r14,rax
    jb           .out
    cmp          r14,0x20
    jb           .out
    mov          r14,rcx
    sub          r14,rax
    jb           .out
    cmp          r14,0x20
    jb           .out
    vmovdqu      ymm0,YMMWORD PTR [rdi+rax*1]
    vpshufb      ymm0,ymm0,YMMWORD PTR [const0]
    mov          r10,QWORD PTR [rsp+0x10]
    vmovdqu      ymm1,YMMWORD PTR [r10+rax*8]
    vmovdqu      ymm2,YMMWORD PTR [r10+rax*8+0x20]
    vmovdqu      ymm3,YMMWORD PTR [r10+rax*8+0x40]
    vmovdqu      ymm4,YMMWORD PTR [r10+rax*8+0x60]
    vmovdqu      ymm5,YMMWORD PTR [r10+rax*8+0xa0]
    vmovdqu      ymm6,YMMWORD PTR [r10+rax*8+0xc0]
    vmovdqu      ymm7,YMMWORD PTR [r10+rax*8+0xe0]
    vmovdqu      ymm8,YMMWORD PTR [r10+rax*8+0x80]
    vpunpcklbw   ymm9,ymm1,ymm8
    vpunpckhbw   ymm1,ymm1,ymm8
    vpunpcklbw   ymm8,ymm2,ymm5
    vpunpckhbw   ymm2,ymm2,ymm5
    vpunpcklbw   ymm5,ymm3,ymm6
    vpunpckhbw   ymm3,ymm3,ymm6
    vpunpcklbw   ymm6,ymm4,ymm7
    vpunpckhbw   ymm4,ymm4,ymm7
    vpunpcklbw   ymm7,ymm9,ymm5
    vpunpckhbw   ymm5,ymm9,ymm5
    vpunpcklbw   ymm9,ymm8,ymm6
    vpunpckhbw   ymm6,ymm8,ymm6
    vpunpcklbw   ymm8,ymm1,ymm3
    vpunpckhbw   ymm1,ymm1,ymm3
    vpunpcklbw   ymm3,ymm2,ymm4
    vpunpckhbw   ymm2,ymm2,ymm4
    vpunpcklbw   ymm4,ymm7,ymm9
    vpunpckhbw   ymm7,ymm7,ymm9
    vpunpcklbw   ymm10,ymm5,ymm6
    vpunpckhbw   ymm5,ymm5,ymm6
    vpunpcklbw   ymm6,ymm8,ymm3
    vpunpckhbw   ymm3,ymm8,ymm3
    vpunpcklbw   ymm8,ymm1,ymm2
    vpunpckhbw   ymm1,ymm1,ymm2
    vpunpcklbw   ymm2,ymm4,ymm6
    vpunpckhbw   ymm11,ymm4,ymm6
    vmovdqa      YMMWORD PTR [rsp+0x60],ymm11
    vpunpcklbw   ymm12,ymm7,ymm3
    vmovdqa      YMMWORD PTR [rsp+0x1a0],ymm12
    vpunpckhbw   ymm13,ymm7,ymm3
    vmovdqa      YMMWORD PTR [rsp+0x100],ymm13
    vpunpcklbw   ymm6,ymm10,ymm8
    vmovdqa      YMMWORD PTR [rsp+0x1c0],ymm6
    vpunpckhbw   ymm10,ymm10,ymm8
    vpunpcklbw   ymm15,ymm5,ymm1
    vpunpckhbw   ymm1,ymm5,ymm1
    vpermq       ymm0,ymm0,0xd8
    vpsrlw       ymm3,ymm0,0x3
    vpbroadcastb ymm14,BYTE PTR [const1]
    vpand        ymm3,ymm14,ymm3
    vpxor        xmm4,xmm4,xmm4
    vpcmpeqb     ymm4,ymm3,ymm4
    vmovdqa      YMMWORD PTR [rsp+0x20],ymm4
    vpcmpeqb     ymm7,ymm3,YMMWORD PTR [const2]
    vmovdqa      YMMWORD PTR [rsp+0x40],ymm7
    vpcmpeqb     ymm5,ymm3,YMMWORD PTR [const3]
    vpcmpeqb     ymm8,ymm3,YMMWORD PTR [const4]
    vpand        ymm2,ymm4,ymm2
    vpand        ymm4,ymm11,ymm7
    vpor         ymm2,ymm4,ymm2
    vpand        ymm4,ymm12,ymm5
    vmovdqa      ymm7,ymm5
    vmovdqa      YMMWORD PTR [rsp+0x160],ymm5
    vpand        ymm5,ymm8,ymm13
    vmovdqa      ymm12,ymm8
    vmovdqa      YMMWORD PTR [rsp+0x180],ymm8
    vpor         ymm4,ymm4,ymm5
    vpcmpeqb     ymm5,ymm3,YMMWORD PTR [const5]
    vpor         ymm2,ymm2,ymm4
    vpcmpeqb     ymm13,ymm3,YMMWORD PTR [const6]
    vpand        ymm4,ymm5,ymm6
    vmovdqa      ymm6,ymm5
    vmovdqa      YMMWORD PTR [rsp+0x1e0],ymm5
    vmovdqa      ymm11,ymm10
    vpand        ymm5,ymm13,ymm10
    vmovdqa      YMMWORD PTR [rsp+0x240],ymm13
    vpor         ymm4,ymm4,ymm5
    vpcmpeqb     ymm10,ymm3,YMMWORD PTR [const7]
    vpand        ymm8,ymm10,ymm15
    vmovdqa      YMMWORD PTR [rsp+0x280],ymm10
    vmovdqa      YMMWORD PTR [rsp+0x200],ymm15
    vpor         ymm4,ymm8,ymm4
    vpor         ymm2,ymm2,ymm4
    vpcmpeqb     ymm8,ymm14,ymm3
    vpand        ymm1,ymm8,ymm1
    vmovdqa      YMMWORD PTR [rsp+0x2a0],ymm8
    vpor         ymm1,ymm2,ymm1
    vpbroadcastq ymm2,QWORD PTR [const8]
    vpshufb      ymm2,ymm2,ymm0
    vpaddb       ymm0,ymm2,ymm2
    vpxor        xmm3,xmm3,xmm3
    vpsubb       ymm3,ymm3,ymm0
    vpand        ymm3,ymm1,ymm3
    vpcmpeqd     ymm4,ymm4,ymm4
    vpaddb       ymm4,ymm2,ymm4
    vpand        ymm1,ymm1,ymm4
    vmovdqa      ymm4,YMMWORD PTR [const9]
    vpshufb      ymm4,ymm4,ymm1
    vpsrlw       ymm1,ymm1,0x4
    vpand        ymm1,ymm1,YMMWORD PTR [const10]
    vmovdqa      ymm5,YMMWORD PTR [const11]
    vpshufb      ymm1,ymm5,ymm1
    vpmaxub      ymm1,ymm4,ymm1
    vpsubb       ymm0,ymm3,ymm0
    vpxor        ymm0,ymm3,ymm0
    vpsubb       ymm1,ymm2,ymm1
    vpor         ymm3,ymm0,ymm1
    vpand        ymm4,ymm2,YMMWORD PTR [rsp+0x20]
    vmovdqa      YMMWORD PTR [rsp+0x120],ymm4
    vpand        ymm5,ymm2,YMMWORD PTR [rsp+0x40]
    vmovdqa      YMMWORD PTR [rsp+0xc0],ymm5
    vpand        ymm14,ymm7,ymm2
    vpand        ymm9,ymm12,ymm2
    vpand        ymm7,ymm6,ymm2
    vpand        ymm12,ymm13,ymm2
    vpand        ymm0,ymm10,ymm2
    vmovdqa      YMMWORD PTR [rsp+0x260],ymm0
    vpand        ymm1,ymm8,ymm2
    vmovdqa      YMMWORD PTR [rsp+0x220],ymm1
    vmovdqa      ymm2,YMMWORD PTR [rsp+0x60]
    vpandn       ymm2,ymm2,ymm4
    vpor         ymm2,ymm2,ymm5
    vmovdqa      YMMWORD PTR [rsp+0xe0],ymm2
    vpandn       ymm8,ymm15,ymm1
    vpor         ymm0,ymm8,ymm0
    vmovdqa      YMMWORD PTR [rsp+0x140],ymm0
    vmovdqa      ymm1,YMMWORD PTR [rsp+0x1a0]
    vpandn       ymm15,ymm1,ymm2
    vmovdqa      ymm5,ymm14
    vpor         ymm15,ymm15,ymm14
    vpandn       ymm10,ymm11,ymm0
    vmovdqa      ymm2,ymm11
    vpor         ymm10,ymm10,ymm12
    vmovdqa      ymm0,YMMWORD PTR [rsp+0x100]
    vpandn       ymm11,ymm0,ymm15
    vpor         ymm11,ymm11,ymm9
    vmovdqa      ymm6,YMMWORD PTR [rsp+0x1c0]
    vpandn       ymm14,ymm6,ymm10
    vpor         ymm14,ymm14,ymm7
    vpandn       ymm13,ymm6,ymm11
    vpor         ymm8,ymm13,ymm7
    vpandn       ymm13,ymm0,ymm14
    vpor         ymm0,ymm13,ymm9
    vpandn       ymm13,ymm2,ymm8
    vpor         ymm4,ymm13,ymm12
    vpandn       ymm13,ymm1,ymm0
    vpor         ymm5,ymm13,ymm5
    vmovdqa      ymm1,YMMWORD PTR [rsp+0x60]
    vpandn       ymm13,ymm1,ymm5
    vpor         ymm6,ymm13,YMMWORD PTR [rsp+0xc0]
    vpand        ymm12,ymm3,YMMWORD PTR [rsp+0x20]
    vpor         ymm6,ymm12,ymm6
    vpor         ymm5,ymm5,YMMWORD PTR [rsp+0x120]
    vpand        ymm7,ymm3,YMMWORD PTR [rsp+0x40]
    vpor         ymm5,ymm5,ymm7
    vpor         ymm1,ymm0,YMMWORD PTR [rsp+0xe0]
    vpand        ymm2,ymm3,YMMWORD PTR [rsp+0x160]
    vpor         ymm1,ymm1,ymm2
    vpor         ymm2,ymm15,ymm14
    vpand        ymm7,ymm3,YMMWORD PTR [rsp+0x180]
    vpor         ymm2,ymm2,ymm7
    vpor         ymm7,ymm10,ymm11
    vpand        ymm10,ymm3,YMMWORD PTR [rsp+0x1e0]
    vpor         ymm7,ymm10,ymm7
    vpor         ymm0,ymm8,YMMWORD PTR [rsp+0x140]
    vpand        ymm8,ymm3,YMMWORD PTR [rsp+0x240]
    vpor         ymm0,ymm8,ymm0
    vmovdqa      ymm8,YMMWORD PTR [rsp+0x200]
    vpandn       ymm8,ymm8,ymm4
    vpor         ymm4,ymm4,YMMWORD PTR [rsp+0x220]
    vpand        ymm9,ymm3,YMMWORD PTR [rsp+0x280]
    vpor         ymm4,ymm9,ymm4
    vpand        ymm3,ymm3,YMMWORD PTR [rsp+0x2a0]
    vpor         ymm8,ymm8,YMMWORD PTR [rsp+0x260]
    vpor         ymm3,ymm8,ymm3
    vpunpcklbw   ymm8,ymm6,ymm7
    vpunpckhbw   ymm6,ymm6,ymm7
    vpunpcklbw   ymm7,ymm5,ymm0
    vpunpckhbw   ymm0,ymm5,ymm0
    vpunpcklbw   ymm5,ymm1,ymm4
    vpunpckhbw   ymm1,ymm1,ymm4
    vpunpcklbw   ymm4,ymm2,ymm3
    vpunpckhbw   ymm2,ymm2,ymm3
    vpunpcklbw   ymm3,ymm8,ymm5
    vpunpckhbw   ymm8,ymm8,ymm5
    vpunpcklbw   ymm5,ymm7,ymm4
    vpunpckhbw   ymm4,ymm7,ymm4
    vpunpcklbw   ymm9,ymm6,ymm1
    vpunpckhbw   ymm10,ymm6,ymm1
    vpunpcklbw   ymm1,ymm0,ymm2
    vpunpckhbw   ymm0,ymm0,ymm2
    vpunpcklbw   ymm7,ymm3,ymm5
    vpunpckhbw   ymm6,ymm3,ymm5
    vpunpcklbw   ymm5,ymm8,ymm4
    vpunpckhbw   ymm4,ymm8,ymm4
    vpunpcklbw   ymm3,ymm9,ymm1
    vpunpckhbw   ymm2,ymm9,ymm1
    vpunpcklbw   ymm1,ymm10,ymm0
    vpunpckhbw   ymm0,ymm10,ymm0
    lea          r14,[r8+rax*8]
    cmp          rdx,0x200000
    jb           .1
    mov          r15d,r14d
    and          r15d,0x18
    jne          .1
    lea          r15,[r14+0x20]
    mov          rdx,rcx
    mov          rcx,r12
    lea          r12,[r14+0x40]
    lea          r13,[r14+0x60]
    lea          r10,[r14+0x80]
    lea          r11,[r14+0xa0]
    lea          rbx,[r14+0xc0]
    mov          QWORD PTR [rsp+0x20],rbx
    lea          rbx,[r14+0xe0]
    mov          QWORD PTR [rsp+0x40],rbx
    vmovntdq     YMMWORD PTR [r14],ymm7
    vmovntdq     YMMWORD PTR [r15],ymm6
    vmovntdq     YMMWORD PTR [r12],ymm5
    mov          r12,rcx
    mov          rcx,rdx
    vmovntdq     YMMWORD PTR [r13+0x0],ymm4
    vmovntdq     YMMWORD PTR [r10],ymm3
    vmovntdq     YMMWORD PTR [r11],ymm2
    mov          r11,QWORD PTR [rsp+0x18]
    mov          rdx,QWORD PTR [rbp+0x10]
    mov          r10,QWORD PTR [rsp+0x20]
    vmovntdq     YMMWORD PTR [r10],ymm1
    mov          r10,QWORD PTR [rsp+0x40]
    vmovntdq     YMMWORD PTR [r10],ymm0
    cmp          rax,r11
    jne          .2
    jmp          .out
    nop          WORD PTR [rax+rax*1+0x0]
.1:
    vmovdqu      YMMWORD PTR [r14],ymm7
    vmovdqu      YMMWORD PTR [r14+0x20],ymm6
    vmovdqu      YMMWORD PTR [r14+0x40],ymm5
    vmovdqu      YMMWORD PTR [r14+0x60],ymm4
    vmovdqu      YMMWORD PTR [r14+0x80],ymm3
    vmovdqu      YMMWORD PTR [r14+0xa0],ymm2
    vmovdqu      YMMWORD PTR [r14+0xc0],ymm1
    vmovdqu      YMMWORD PTR [r14+0xe0],ymm0
    cmp          rax,r11
    je           .out
.2:
    test         rax,rax
    lea          rax,[rax+0x20]
    cmove        rax,r12
    cmp          rax,r11
    cmovae       rax,r11
    mov          r10,r9
    sub          r10,rax
    cmp          r10,0x20
    jae          .0
