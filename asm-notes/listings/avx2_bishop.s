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
    vmovdqu      ymm1,YMMWORD PTR [rdx+rax*8]
    vmovdqu      ymm2,YMMWORD PTR [rdx+rax*8+0x20]
    vmovdqu      ymm3,YMMWORD PTR [rdx+rax*8+0x40]
    vmovdqu      ymm4,YMMWORD PTR [rdx+rax*8+0x60]
    vmovdqu      ymm5,YMMWORD PTR [rdx+rax*8+0xa0]
    vmovdqu      ymm6,YMMWORD PTR [rdx+rax*8+0xc0]
    vmovdqu      ymm7,YMMWORD PTR [rdx+rax*8+0xe0]
    vmovdqu      ymm8,YMMWORD PTR [rdx+rax*8+0x80]
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
    vpunpcklbw   ymm9,ymm5,ymm6
    vpunpckhbw   ymm5,ymm5,ymm6
    vpunpcklbw   ymm10,ymm8,ymm3
    vpunpckhbw   ymm3,ymm8,ymm3
    vpunpcklbw   ymm12,ymm1,ymm2
    vpunpckhbw   ymm1,ymm1,ymm2
    vpunpcklbw   ymm2,ymm4,ymm10
    vmovdqa      YMMWORD PTR [rsp+0x180],ymm2
    vpunpckhbw   ymm8,ymm4,ymm10
    vpunpcklbw   ymm11,ymm7,ymm3
    vpunpckhbw   ymm7,ymm7,ymm3
    vmovdqa      YMMWORD PTR [rsp+0x1c0],ymm7
    vpunpcklbw   ymm15,ymm9,ymm12
    vpunpckhbw   ymm9,ymm9,ymm12
    vmovdqa      YMMWORD PTR [rsp+0x1e0],ymm9
    vpunpcklbw   ymm12,ymm5,ymm1
    vmovdqa      YMMWORD PTR [rsp+0x200],ymm12
    vpunpckhbw   ymm1,ymm5,ymm1
    vmovdqa      YMMWORD PTR [rsp+0x20],ymm1
    vpermq       ymm0,ymm0,0xd8
    vpsrlw       ymm1,ymm0,0x3
    vpbroadcastb ymm4,BYTE PTR [const1]
    vpand        ymm3,ymm0,ymm4
    vpand        ymm1,ymm1,ymm4
    vpsubb       ymm2,ymm3,ymm1
    vpaddb       ymm2,ymm2,ymm4
    vmovdqa      ymm4,YMMWORD PTR [const2]
    vpshufb      ymm4,ymm4,ymm2
    vmovdqa      YMMWORD PTR [rsp+0x220],ymm4
    vmovdqa      ymm13,YMMWORD PTR [const3]
    vpshufb      ymm6,ymm13,ymm2
    vmovdqa      YMMWORD PTR [rsp+0xa0],ymm6
    vmovdqa      ymm14,YMMWORD PTR [const4]
    vpshufb      ymm5,ymm14,ymm2
    vmovdqa      YMMWORD PTR [rsp+0xc0],ymm5
    vpaddb       ymm1,ymm1,ymm3
    vmovdqa      ymm10,YMMWORD PTR [rsp+0x180]
    vpand        ymm3,ymm10,ymm4
    vpand        ymm4,ymm8,ymm6
    vmovdqa      ymm14,ymm8
    vpor         ymm3,ymm4,ymm3
    vmovdqa      ymm13,YMMWORD PTR [const5]
    vpshufb      ymm6,ymm13,ymm2
    vmovdqa      YMMWORD PTR [rsp+0x60],ymm6
    vpand        ymm4,ymm11,ymm5
    vpand        ymm5,ymm6,ymm7
    vpor         ymm4,ymm4,ymm5
    vpor         ymm3,ymm3,ymm4
    vmovdqa      ymm13,YMMWORD PTR [const6]
    vpshufb      ymm4,ymm13,ymm2
    vmovdqa      YMMWORD PTR [rsp+0xe0],ymm4
    vmovdqa      ymm13,YMMWORD PTR [const7]
    vpshufb      ymm6,ymm13,ymm2
    vmovdqa      YMMWORD PTR [rsp+0x40],ymm6
    vpand        ymm4,ymm15,ymm4
    vmovdqa      ymm13,ymm15
    vpand        ymm5,ymm9,ymm6
    vpor         ymm4,ymm4,ymm5
    vmovdqa      ymm7,YMMWORD PTR [const8]
    vpshufb      ymm5,ymm7,ymm2
    vmovdqa      YMMWORD PTR [rsp+0x120],ymm5
    vpand        ymm5,ymm12,ymm5
    vpor         ymm4,ymm4,ymm5
    vpor         ymm3,ymm3,ymm4
    vmovdqa      ymm8,YMMWORD PTR [const9]
    vpshufb      ymm2,ymm8,ymm2
    vmovdqa      YMMWORD PTR [rsp+0x100],ymm2
    vpand        ymm2,ymm2,YMMWORD PTR [rsp+0x20]
    vpor         ymm5,ymm3,ymm2
    vpbroadcastq ymm2,QWORD PTR [const10]
    vpshufb      ymm2,ymm2,ymm0
    vpcmpeqd     ymm0,ymm0,ymm0
    vpaddb       ymm4,ymm2,ymm0
    vpand        ymm0,ymm5,ymm4
    vmovdqa      ymm3,YMMWORD PTR [const11]
    vpshufb      ymm0,ymm3,ymm0
    vpand        ymm3,ymm4,YMMWORD PTR [const12]
    vmovdqa      YMMWORD PTR [rsp+0x1a0],ymm3
    vpand        ymm3,ymm5,ymm3
    vpsrlw       ymm3,ymm3,0x4
    vmovdqa      ymm6,YMMWORD PTR [const13]
    vpshufb      ymm3,ymm6,ymm3
    vpmaxub      ymm0,ymm0,ymm3
    vpaddb       ymm3,ymm2,ymm2
    vpxor        xmm6,xmm6,xmm6
    vpsubb       ymm6,ymm6,ymm3
    vpand        ymm5,ymm5,ymm6
    vpsubb       ymm9,ymm5,ymm3
    vpxor        ymm5,ymm9,ymm5
    vpsubb       ymm0,ymm2,ymm0
    vpor         ymm0,ymm5,ymm0
    vpshufb      ymm8,ymm8,ymm1
    vpand        ymm9,ymm8,ymm10
    vpshufb      ymm12,ymm7,ymm1
    vpand        ymm10,ymm12,ymm14
    vpor         ymm10,ymm10,ymm9
    vmovdqa      ymm5,YMMWORD PTR [const7]
    vpshufb      ymm15,ymm5,ymm1
    vpand        ymm11,ymm15,ymm11
    vmovdqa      ymm5,YMMWORD PTR [const6]
    vpshufb      ymm9,ymm5,ymm1
    vpand        ymm7,ymm9,YMMWORD PTR [rsp+0x1c0]
    vpor         ymm7,ymm11,ymm7
    vpor         ymm5,ymm10,ymm7
    vmovdqa      ymm7,YMMWORD PTR [const5]
    vpshufb      ymm11,ymm7,ymm1
    vpand        ymm10,ymm11,ymm13
    vmovdqa      ymm7,YMMWORD PTR [const4]
    vpshufb      ymm7,ymm7,ymm1
    vpand        ymm14,ymm7,YMMWORD PTR [rsp+0x1e0]
    vpor         ymm14,ymm10,ymm14
    vmovdqa      ymm10,YMMWORD PTR [const3]
    vpshufb      ymm10,ymm10,ymm1
    vpand        ymm13,ymm10,YMMWORD PTR [rsp+0x200]
    vpor         ymm13,ymm14,ymm13
    vpor         ymm5,ymm13,ymm5
    vmovdqa      ymm13,YMMWORD PTR [const2]
    vpshufb      ymm1,ymm13,ymm1
    vpand        ymm13,ymm1,YMMWORD PTR [rsp+0x20]
    vpor         ymm5,ymm13,ymm5
    vpand        ymm6,ymm5,ymm6
    vpand        ymm4,ymm5,ymm4
    vpand        ymm5,ymm5,YMMWORD PTR [rsp+0x1a0]
    vmovdqa      ymm13,YMMWORD PTR [const11]
    vpshufb      ymm4,ymm13,ymm4
    vpsrlw       ymm5,ymm5,0x4
    vmovdqa      ymm13,YMMWORD PTR [const13]
    vpshufb      ymm5,ymm13,ymm5
    vpmaxub      ymm4,ymm4,ymm5
    vpsubb       ymm2,ymm2,ymm4
    vpsubb       ymm3,ymm6,ymm3
    vpxor        ymm3,ymm6,ymm3
    vpor         ymm2,ymm3,ymm2
    vpand        ymm3,ymm0,YMMWORD PTR [rsp+0x220]
    vpand        ymm4,ymm8,ymm2
    vpor         ymm3,ymm4,ymm3
    vpand        ymm4,ymm0,YMMWORD PTR [rsp+0xa0]
    vpand        ymm5,ymm12,ymm2
    vpor         ymm4,ymm5,ymm4
    vpand        ymm5,ymm0,YMMWORD PTR [rsp+0xc0]
    vpand        ymm6,ymm15,ymm2
    vpor         ymm5,ymm6,ymm5
    vpand        ymm6,ymm0,YMMWORD PTR [rsp+0x60]
    vpand        ymm8,ymm9,ymm2
    vpor         ymm6,ymm8,ymm6
    vpand        ymm8,ymm0,YMMWORD PTR [rsp+0xe0]
    vpand        ymm9,ymm11,ymm2
    vpor         ymm8,ymm9,ymm8
    vpand        ymm9,ymm0,YMMWORD PTR [rsp+0x40]
    vpand        ymm7,ymm2,ymm7
    vpor         ymm7,ymm9,ymm7
    vpand        ymm9,ymm0,YMMWORD PTR [rsp+0x120]
    vpand        ymm10,ymm10,ymm2
    vpor         ymm9,ymm10,ymm9
    vpand        ymm0,ymm0,YMMWORD PTR [rsp+0x100]
    vpand        ymm1,ymm2,ymm1
    vpor         ymm0,ymm1,ymm0
    vpunpcklbw   ymm1,ymm3,ymm8
    vpunpckhbw   ymm2,ymm3,ymm8
    vpunpcklbw   ymm3,ymm4,ymm7
    vpunpckhbw   ymm4,ymm4,ymm7
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
    cmp          r11,0x200000
    jb           .1
    mov          r15d,r14d
    and          r15d,0x18
    jne          .1
    lea          r15,[r14+0x20]
    mov          r10,rcx
    mov          rcx,r12
    lea          r12,[r14+0x40]
    lea          r13,[r14+0x60]
    lea          rbx,[r14+0x80]
    lea          r11,[r14+0xa0]
    mov          QWORD PTR [rsp+0x40],r11
    lea          r11,[r14+0xc0]
    mov          QWORD PTR [rsp+0x60],r11
    lea          r11,[r14+0xe0]
    mov          QWORD PTR [rsp+0x20],r11
    vmovntdq     YMMWORD PTR [r14],ymm7
    vmovntdq     YMMWORD PTR [r15],ymm6
    vmovntdq     YMMWORD PTR [r12],ymm5
    mov          r12,rcx
    mov          rcx,r10
    vmovntdq     YMMWORD PTR [r13+0x0],ymm4
    vmovntdq     YMMWORD PTR [rbx],ymm3
    mov          r10,QWORD PTR [rsp+0x40]
    vmovntdq     YMMWORD PTR [r10],ymm2
    mov          r11,QWORD PTR [rbp+0x10]
    mov          r10,QWORD PTR [rsp+0x60]
    vmovntdq     YMMWORD PTR [r10],ymm1
    mov          r10,QWORD PTR [rsp+0x20]
    vmovntdq     YMMWORD PTR [r10],ymm0
    cmp          rax,QWORD PTR [rsp+0x80]
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
    cmp          rax,QWORD PTR [rsp+0x80]
    je           .out
.2:
    test         rax,rax
    lea          rax,[rax+0x20]
    cmove        rax,r12
    mov          r10,QWORD PTR [rsp+0x80]
    cmp          rax,r10
    cmovae       rax,r10
    mov          r10,r9
    sub          r10,rax
    cmp          r10,0x20
    jae          .0
