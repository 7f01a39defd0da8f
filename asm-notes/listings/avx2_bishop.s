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
    vpunpckhbw   ymm9,ymm7,ymm9
    vpunpcklbw   ymm10,ymm5,ymm6
    vpunpckhbw   ymm5,ymm5,ymm6
    vpunpcklbw   ymm6,ymm8,ymm3
    vpunpckhbw   ymm12,ymm4,ymm6
    vpunpckhbw   ymm3,ymm8,ymm3
    vpunpcklbw   ymm4,ymm1,ymm2
    vpunpckhbw   ymm1,ymm1,ymm2
    vpunpcklbw   ymm14,ymm5,ymm1
    vmovdqa      YMMWORD PTR [rsp+0xa0],ymm14
    vpunpcklbw   ymm13,ymm9,ymm3
    vmovdqa      YMMWORD PTR [rsp+0x180],ymm13
    vpunpckhbw   ymm1,ymm9,ymm3
    vmovdqa      YMMWORD PTR [rsp+0x40],ymm1
    vpunpcklbw   ymm9,ymm10,ymm4
    vmovdqa      YMMWORD PTR [rsp+0x60],ymm9
    vpunpckhbw   ymm15,ymm10,ymm4
    vmovdqa      YMMWORD PTR [rsp+0x1a0],ymm15
    vpermq       ymm5,ymm0,0xd8
    vpsrlw       ymm0,ymm5,0x3
    vpbroadcastb ymm3,BYTE PTR [const1]
    vpand        ymm1,ymm5,ymm3
    vpand        ymm2,ymm0,ymm3
    vpsubb       ymm0,ymm1,ymm2
    vpaddb       ymm11,ymm0,ymm3
    vmovdqa      ymm3,YMMWORD PTR [const2]
    vpshufb      ymm8,ymm3,ymm11
    vmovdqa      YMMWORD PTR [rsp+0xc0],ymm8
    vmovdqa      ymm3,YMMWORD PTR [const3]
    vpshufb      ymm7,ymm3,ymm11
    vmovdqa      YMMWORD PTR [rsp+0xe0],ymm7
    vmovdqa      ymm3,YMMWORD PTR [const4]
    vpshufb      ymm4,ymm3,ymm11
    vmovdqa      YMMWORD PTR [rsp+0x100],ymm4
    vmovdqa      ymm3,YMMWORD PTR [const5]
    vpshufb      ymm6,ymm3,ymm11
    vmovdqa      YMMWORD PTR [rsp+0x80],ymm6
    vpaddb       ymm1,ymm2,ymm1
    vpand        ymm2,ymm12,ymm8
    vpand        ymm3,ymm13,ymm7
    vpor         ymm2,ymm3,ymm2
    vmovdqa      ymm0,YMMWORD PTR [rsp+0x40]
    vpand        ymm3,ymm4,ymm0
    vpand        ymm4,ymm9,ymm6
    vpor         ymm3,ymm3,ymm4
    vmovdqa      ymm13,YMMWORD PTR [const6]
    vpshufb      ymm4,ymm13,ymm11
    vmovdqa      YMMWORD PTR [rsp+0x120],ymm4
    vpor         ymm2,ymm2,ymm3
    vmovdqa      ymm10,YMMWORD PTR [const7]
    vpshufb      ymm6,ymm10,ymm11
    vmovdqa      YMMWORD PTR [rsp+0x20],ymm6
    vpand        ymm3,ymm15,ymm4
    vpand        ymm4,ymm14,ymm6
    vpor         ymm3,ymm3,ymm4
    vpor         ymm4,ymm2,ymm3
    vpbroadcastq ymm2,QWORD PTR [const8]
    vpshufb      ymm5,ymm2,ymm5
    vpcmpeqd     ymm2,ymm2,ymm2
    vpaddb       ymm6,ymm5,ymm2
    vpand        ymm2,ymm4,ymm6
    vmovdqa      ymm3,YMMWORD PTR [const9]
    vpshufb      ymm2,ymm3,ymm2
    vpand        ymm9,ymm6,YMMWORD PTR [const10]
    vpand        ymm15,ymm9,ymm4
    vpsrlw       ymm15,ymm15,0x4
    vmovdqa      ymm3,YMMWORD PTR [const11]
    vpshufb      ymm15,ymm3,ymm15
    vpmaxub      ymm15,ymm15,ymm2
    vpaddb       ymm3,ymm5,ymm5
    vpxor        xmm2,xmm2,xmm2
    vpsubb       ymm7,ymm2,ymm3
    vpand        ymm4,ymm4,ymm7
    vpsubb       ymm8,ymm4,ymm3
    vpxor        ymm4,ymm8,ymm4
    vpsubb       ymm8,ymm5,ymm15
    vpor         ymm15,ymm8,ymm4
    vpshufb      ymm10,ymm10,ymm1
    vpand        ymm8,ymm10,ymm12
    vpshufb      ymm13,ymm13,ymm1
    vpand        ymm14,ymm13,YMMWORD PTR [rsp+0x180]
    vpor         ymm8,ymm14,ymm8
    vmovdqa      ymm2,YMMWORD PTR [const5]
    vpshufb      ymm14,ymm2,ymm1
    vpand        ymm2,ymm14,ymm0
    vmovdqa      ymm4,YMMWORD PTR [const4]
    vpshufb      ymm0,ymm4,ymm1
    vmovdqa      YMMWORD PTR [rsp+0x40],ymm0
    vpand        ymm12,ymm0,YMMWORD PTR [rsp+0x60]
    vpor         ymm2,ymm12,ymm2
    vpor         ymm4,ymm8,ymm2
    vmovdqa      ymm2,YMMWORD PTR [const3]
    vpshufb      ymm12,ymm2,ymm1
    vpand        ymm2,ymm12,YMMWORD PTR [rsp+0x1a0]
    vmovdqa      ymm8,YMMWORD PTR [const2]
    vpshufb      ymm0,ymm8,ymm1
    vmovdqa      YMMWORD PTR [rsp+0x60],ymm0
    vpand        ymm8,ymm0,YMMWORD PTR [rsp+0xa0]
    vpor         ymm2,ymm8,ymm2
    vpor         ymm2,ymm4,ymm2
    vpand        ymm4,ymm2,ymm7
    vpand        ymm6,ymm2,ymm6
    vpand        ymm2,ymm9,ymm2
    vmovdqa      ymm0,YMMWORD PTR [const9]
    vpshufb      ymm6,ymm0,ymm6
    vpsrlw       ymm2,ymm2,0x4
    vmovdqa      ymm0,YMMWORD PTR [const11]
    vpshufb      ymm2,ymm0,ymm2
    vpmaxub      ymm2,ymm6,ymm2
    vpsubb       ymm2,ymm5,ymm2
    vpsubb       ymm3,ymm4,ymm3
    vpxor        ymm3,ymm4,ymm3
    vpor         ymm2,ymm3,ymm2
    vmovdqa      ymm3,YMMWORD PTR [const12]
    vpshufb      ymm3,ymm3,ymm11
    vpand        ymm3,ymm15,ymm3
    vmovdqa      ymm0,YMMWORD PTR [const13]
    vpshufb      ymm4,ymm0,ymm1
    vpand        ymm4,ymm2,ymm4
    vpor         ymm3,ymm4,ymm3
    vpand        ymm4,ymm15,YMMWORD PTR [rsp+0xc0]
    vpand        ymm5,ymm10,ymm2
    vpor         ymm4,ymm5,ymm4
    vpand        ymm5,ymm15,YMMWORD PTR [rsp+0xe0]
    vpand        ymm6,ymm13,ymm2
    vpor         ymm5,ymm6,ymm5
    vpand        ymm6,ymm15,YMMWORD PTR [rsp+0x100]
    vpand        ymm7,ymm14,ymm2
    vpor         ymm6,ymm7,ymm6
    vpand        ymm7,ymm15,YMMWORD PTR [rsp+0x80]
    vpand        ymm8,ymm2,YMMWORD PTR [rsp+0x40]
    vpor         ymm7,ymm8,ymm7
    vpand        ymm8,ymm15,YMMWORD PTR [rsp+0x120]
    vpand        ymm9,ymm12,ymm2
    vpor         ymm8,ymm9,ymm8
    vpand        ymm9,ymm15,YMMWORD PTR [rsp+0x20]
    vpand        ymm10,ymm2,YMMWORD PTR [rsp+0x60]
    vpor         ymm9,ymm10,ymm9
    vpshufb      ymm0,ymm0,ymm11
    vpand        ymm0,ymm15,ymm0
    vmovdqa      ymm10,YMMWORD PTR [const12]
    vpshufb      ymm1,ymm10,ymm1
    vpand        ymm1,ymm2,ymm1
    vpor         ymm0,ymm1,ymm0
    vpunpcklbw   ymm1,ymm3,ymm7
    vpunpckhbw   ymm2,ymm3,ymm7
    vpunpcklbw   ymm3,ymm4,ymm8
    vpunpckhbw   ymm4,ymm4,ymm8
    vpunpcklbw   ymm7,ymm5,ymm9
    vpunpckhbw   ymm5,ymm5,ymm9
    vpunpcklbw   ymm8,ymm6,ymm0
    vpunpckhbw   ymm0,ymm6,ymm0
    vpunpcklbw   ymm6,ymm1,ymm7
    vpunpckhbw   ymm1,ymm1,ymm7
    vpunpcklbw   ymm9,ymm3,ymm8
    vpunpckhbw   ymm3,ymm3,ymm8
    vpunpcklbw   ymm8,ymm2,ymm5
    vpunpckhbw   ymm10,ymm2,ymm5
    vpunpcklbw   ymm2,ymm4,ymm0
    vpunpckhbw   ymm0,ymm4,ymm0
    vpunpcklbw   ymm7,ymm6,ymm9
    vpunpckhbw   ymm6,ymm6,ymm9
    vpunpcklbw   ymm5,ymm1,ymm3
    vpunpckhbw   ymm4,ymm1,ymm3
    vpunpcklbw   ymm3,ymm8,ymm2
    vpunpckhbw   ymm2,ymm8,ymm2
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
    mov          QWORD PTR [rsp+0x80],rbx
    lea          rbx,[r14+0xe0]
    mov          QWORD PTR [rsp+0x20],rbx
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
    mov          r10,QWORD PTR [rsp+0x80]
    vmovntdq     YMMWORD PTR [r10],ymm1
    mov          r10,QWORD PTR [rsp+0x20]
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
