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
    vpunpcklbw   ymm6,ymm8,ymm3
    vpunpckhbw   ymm3,ymm8,ymm3
    vpunpcklbw   ymm8,ymm1,ymm2
    vpunpckhbw   ymm1,ymm1,ymm2
    vpunpcklbw   ymm2,ymm4,ymm6
    vmovdqa      YMMWORD PTR [rsp+0x40],ymm2
    vpunpckhbw   ymm4,ymm4,ymm6
    vmovdqa      YMMWORD PTR [rsp+0x3c0],ymm4
    vpunpcklbw   ymm12,ymm7,ymm3
    vmovdqa      YMMWORD PTR [rsp+0x2c0],ymm12
    vpunpckhbw   ymm6,ymm7,ymm3
    vmovdqa      YMMWORD PTR [rsp+0x220],ymm6
    vpunpcklbw   ymm15,ymm9,ymm8
    vpunpckhbw   ymm9,ymm9,ymm8
    vpunpcklbw   ymm14,ymm5,ymm1
    vpunpckhbw   ymm1,ymm5,ymm1
    vmovdqa      YMMWORD PTR [rsp+0x60],ymm1
    vpermq       ymm0,ymm0,0xd8
    vpsrlw       ymm1,ymm0,0x3
    vpbroadcastq ymm2,QWORD PTR [const1]
    vpshufb      ymm10,ymm2,ymm0
    vpaddb       ymm3,ymm10,ymm10
    vmovdqa      YMMWORD PTR [rsp+0x100],ymm3
    vpbroadcastb ymm0,BYTE PTR [const2]
    vpand        ymm8,ymm1,ymm0
    vpxor        xmm11,xmm11,xmm11
    vpcmpeqb     ymm2,ymm8,ymm11
    vmovdqa      YMMWORD PTR [rsp+0xa0],ymm2
    vpavgb       ymm1,ymm10,ymm11
    vpor         ymm1,ymm10,ymm1
    vmovdqa      YMMWORD PTR [rsp+0x140],ymm10
    vpor         ymm0,ymm1,ymm3
    vpand        ymm1,ymm2,ymm0
    vmovdqa      YMMWORD PTR [rsp+0x20],ymm1
    vpsubb       ymm3,ymm11,ymm3
    vpandn       ymm2,ymm4,ymm1
    vpand        ymm4,ymm2,ymm3
    vpaddb       ymm4,ymm2,ymm4
    vpcmpeqd     ymm5,ymm5,ymm5
    vpaddb       ymm10,ymm10,ymm5
    vpand        ymm2,ymm10,ymm2
    vpavgb       ymm2,ymm11,ymm2
    vpcmpeqb     ymm1,ymm8,YMMWORD PTR [const3]
    vmovdqa      YMMWORD PTR [rsp+0x420],ymm1
    vpand        ymm1,ymm1,ymm0
    vmovdqa      YMMWORD PTR [rsp+0x340],ymm1
    vpaddb       ymm4,ymm4,ymm1
    vpsubb       ymm2,ymm4,ymm2
    vmovdqa      YMMWORD PTR [rsp+0xe0],ymm2
    vpcmpeqb     ymm1,ymm8,YMMWORD PTR [const4]
    vmovdqa      YMMWORD PTR [rsp+0x3e0],ymm1
    vpand        ymm1,ymm1,ymm0
    vmovdqa      YMMWORD PTR [rsp+0x2e0],ymm1
    vpandn       ymm2,ymm12,ymm2
    vpand        ymm4,ymm2,ymm3
    vpaddb       ymm5,ymm2,ymm1
    vpaddb       ymm4,ymm5,ymm4
    vpand        ymm2,ymm10,ymm2
    vpavgb       ymm2,ymm11,ymm2
    vpsubb       ymm2,ymm4,ymm2
    vmovdqa      YMMWORD PTR [rsp+0xc0],ymm2
    vpcmpeqb     ymm1,ymm8,YMMWORD PTR [const5]
    vmovdqa      YMMWORD PTR [rsp+0x380],ymm1
    vpand        ymm13,ymm1,ymm0
    vpandn       ymm2,ymm6,ymm2
    vpand        ymm4,ymm2,ymm3
    vpaddb       ymm6,ymm13,ymm2
    vpaddb       ymm4,ymm6,ymm4
    vpand        ymm2,ymm10,ymm2
    vpavgb       ymm2,ymm11,ymm2
    vpsubb       ymm2,ymm4,ymm2
    vmovdqa      YMMWORD PTR [rsp+0x160],ymm2
    vpcmpeqb     ymm1,ymm8,YMMWORD PTR [const6]
    vmovdqa      YMMWORD PTR [rsp+0x320],ymm1
    vpand        ymm12,ymm1,ymm0
    vpandn       ymm2,ymm15,ymm2
    vpand        ymm6,ymm2,ymm3
    vpaddb       ymm7,ymm12,ymm2
    vpaddb       ymm6,ymm7,ymm6
    vpand        ymm2,ymm10,ymm2
    vpavgb       ymm2,ymm11,ymm2
    vpsubb       ymm2,ymm6,ymm2
    vmovdqa      YMMWORD PTR [rsp+0x120],ymm2
    vpcmpeqb     ymm1,ymm8,YMMWORD PTR [const7]
    vmovdqa      YMMWORD PTR [rsp+0x2a0],ymm1
    vpand        ymm5,ymm1,ymm0
    vmovdqa      ymm4,ymm9
    vmovdqa      YMMWORD PTR [rsp+0x1c0],ymm9
    vpandn       ymm6,ymm9,ymm2
    vpand        ymm7,ymm6,ymm3
    vpaddb       ymm9,ymm6,ymm5
    vpaddb       ymm7,ymm9,ymm7
    vpand        ymm6,ymm10,ymm6
    vpavgb       ymm6,ymm11,ymm6
    vpsubb       ymm2,ymm7,ymm6
    vmovdqa      YMMWORD PTR [rsp+0x400],ymm2
    vpcmpeqb     ymm1,ymm8,YMMWORD PTR [const8]
    vmovdqa      YMMWORD PTR [rsp+0x280],ymm1
    vpand        ymm9,ymm1,ymm0
    vmovdqa      ymm1,ymm14
    vmovdqa      YMMWORD PTR [rsp+0x200],ymm14
    vpandn       ymm6,ymm14,ymm2
    vpand        ymm2,ymm6,ymm3
    vpaddb       ymm14,ymm9,ymm6
    vpaddb       ymm2,ymm14,ymm2
    vpand        ymm6,ymm10,ymm6
    vpavgb       ymm6,ymm11,ymm6
    vpsubb       ymm2,ymm2,ymm6
    vmovdqa      YMMWORD PTR [rsp+0x3a0],ymm2
    vpcmpeqb     ymm2,ymm8,YMMWORD PTR [const9]
    vmovdqa      YMMWORD PTR [rsp+0x240],ymm2
    vpand        ymm0,ymm2,ymm0
    vmovdqa      YMMWORD PTR [rsp+0x360],ymm0
    vpandn       ymm0,ymm1,ymm0
    vpand        ymm1,ymm0,ymm3
    vpaddb       ymm1,ymm0,ymm1
    vpaddb       ymm1,ymm9,ymm1
    vpand        ymm0,ymm10,ymm0
    vpavgb       ymm0,ymm11,ymm0
    vpsubb       ymm0,ymm1,ymm0
    vmovdqa      YMMWORD PTR [rsp+0x300],ymm0
    vpandn       ymm0,ymm4,ymm0
    vpaddb       ymm1,ymm0,ymm5
    vpand        ymm2,ymm0,ymm3
    vpaddb       ymm1,ymm1,ymm2
    vpand        ymm0,ymm10,ymm0
    vpavgb       ymm0,ymm11,ymm0
    vpsubb       ymm0,ymm1,ymm0
    vmovdqa      YMMWORD PTR [rsp+0x260],ymm0
    vmovdqa      ymm9,ymm15
    vpandn       ymm0,ymm15,ymm0
    vpaddb       ymm2,ymm12,ymm0
    vpand        ymm4,ymm0,ymm3
    vpaddb       ymm2,ymm2,ymm4
    vpand        ymm0,ymm10,ymm0
    vpavgb       ymm0,ymm11,ymm0
    vpsubb       ymm0,ymm2,ymm0
    vmovdqa      YMMWORD PTR [rsp+0x1e0],ymm0
    vmovdqa      ymm15,YMMWORD PTR [rsp+0x220]
    vpandn       ymm2,ymm15,ymm0
    vpaddb       ymm4,ymm13,ymm2
    vpand        ymm5,ymm2,ymm3
    vpaddb       ymm4,ymm4,ymm5
    vpand        ymm2,ymm10,ymm2
    vpavgb       ymm2,ymm11,ymm2
    vpsubb       ymm2,ymm4,ymm2
    vmovdqa      ymm14,YMMWORD PTR [rsp+0x2c0]
    vpandn       ymm4,ymm14,ymm2
    vpaddb       ymm5,ymm4,YMMWORD PTR [rsp+0x2e0]
    vpand        ymm8,ymm4,ymm3
    vpaddb       ymm5,ymm8,ymm5
    vpand        ymm4,ymm10,ymm4
    vpavgb       ymm4,ymm11,ymm4
    vpsubb       ymm5,ymm5,ymm4
    vmovdqa      ymm0,YMMWORD PTR [rsp+0x3c0]
    vpandn       ymm4,ymm0,ymm5
    vpaddb       ymm8,ymm4,YMMWORD PTR [rsp+0x340]
    vpand        ymm12,ymm4,ymm3
    vpaddb       ymm8,ymm8,ymm12
    vpand        ymm4,ymm10,ymm4
    vpavgb       ymm4,ymm11,ymm4
    vpsubb       ymm4,ymm8,ymm4
    vmovdqa      ymm13,YMMWORD PTR [rsp+0xa0]
    vpand        ymm8,ymm13,YMMWORD PTR [rsp+0x40]
    vmovdqa      ymm1,YMMWORD PTR [rsp+0x420]
    vpand        ymm12,ymm1,ymm0
    vpor         ymm8,ymm12,ymm8
    vmovdqa      ymm0,YMMWORD PTR [rsp+0x3e0]
    vpand        ymm12,ymm14,ymm0
    vmovdqa      ymm6,YMMWORD PTR [rsp+0x380]
    vpand        ymm14,ymm15,ymm6
    vpor         ymm12,ymm12,ymm14
    vpor         ymm8,ymm8,ymm12
    vmovdqa      ymm7,YMMWORD PTR [rsp+0x320]
    vpand        ymm12,ymm9,ymm7
    vmovdqa      ymm9,YMMWORD PTR [rsp+0x2a0]
    vpand        ymm14,ymm9,YMMWORD PTR [rsp+0x1c0]
    vpor         ymm12,ymm12,ymm14
    vmovdqa      ymm15,YMMWORD PTR [rsp+0x280]
    vpand        ymm14,ymm15,YMMWORD PTR [rsp+0x200]
    vpor         ymm12,ymm12,ymm14
    vpor         ymm8,ymm8,ymm12
    vmovdqa      ymm14,YMMWORD PTR [rsp+0x240]
    vpand        ymm12,ymm14,YMMWORD PTR [rsp+0x60]
    vpor         ymm8,ymm8,ymm12
    vpand        ymm3,ymm8,ymm3
    vpand        ymm8,ymm8,ymm10
    vmovdqa      ymm10,YMMWORD PTR [const10]
    vpshufb      ymm10,ymm10,ymm8
    vpsrlw       ymm8,ymm8,0x4
    vpand        ymm8,ymm8,YMMWORD PTR [const11]
    vmovdqa      ymm11,YMMWORD PTR [const12]
    vpshufb      ymm8,ymm11,ymm8
    vpmaxub      ymm8,ymm10,ymm8
    vmovdqa      ymm10,YMMWORD PTR [rsp+0x140]
    vpsubb       ymm8,ymm10,ymm8
    vpsubb       ymm10,ymm3,YMMWORD PTR [rsp+0x100]
    vpxor        ymm3,ymm10,ymm3
    vpor         ymm3,ymm8,ymm3
    vpand        ymm8,ymm13,ymm3
    vpor         ymm4,ymm8,ymm4
    vpand        ymm8,ymm1,ymm3
    vpor         ymm8,ymm8,YMMWORD PTR [rsp+0x20]
    vpor         ymm5,ymm8,ymm5
    vpor         ymm2,ymm2,YMMWORD PTR [rsp+0xe0]
    vpand        ymm8,ymm0,ymm3
    vpor         ymm2,ymm8,ymm2
    vmovdqa      ymm0,YMMWORD PTR [rsp+0x1e0]
    vpor         ymm0,ymm0,YMMWORD PTR [rsp+0xc0]
    vpand        ymm8,ymm6,ymm3
    vpor         ymm0,ymm8,ymm0
    vmovdqa      ymm1,YMMWORD PTR [rsp+0x260]
    vpor         ymm1,ymm1,YMMWORD PTR [rsp+0x160]
    vpand        ymm8,ymm7,ymm3
    vpor         ymm1,ymm8,ymm1
    vmovdqa      ymm6,YMMWORD PTR [rsp+0x300]
    vpor         ymm8,ymm6,YMMWORD PTR [rsp+0x120]
    vpand        ymm9,ymm9,ymm3
    vpor         ymm8,ymm8,ymm9
    vpand        ymm7,ymm15,ymm3
    vpor         ymm7,ymm7,YMMWORD PTR [rsp+0x360]
    vpor         ymm7,ymm7,YMMWORD PTR [rsp+0x400]
    vpand        ymm3,ymm14,ymm3
    vpor         ymm3,ymm3,YMMWORD PTR [rsp+0x3a0]
    vpunpcklbw   ymm6,ymm4,ymm1
    vpunpckhbw   ymm1,ymm4,ymm1
    vpunpcklbw   ymm4,ymm5,ymm8
    vpunpckhbw   ymm5,ymm5,ymm8
    vpunpcklbw   ymm8,ymm2,ymm7
    vpunpckhbw   ymm2,ymm2,ymm7
    vpunpcklbw   ymm7,ymm0,ymm3
    vpunpckhbw   ymm0,ymm0,ymm3
    vpunpcklbw   ymm3,ymm6,ymm8
    vpunpckhbw   ymm8,ymm6,ymm8
    vpunpcklbw   ymm6,ymm4,ymm7
    vpunpckhbw   ymm4,ymm4,ymm7
    vpunpcklbw   ymm9,ymm1,ymm2
    vpunpckhbw   ymm10,ymm1,ymm2
    vpunpcklbw   ymm1,ymm5,ymm0
    vpunpckhbw   ymm0,ymm5,ymm0
    vpunpcklbw   ymm7,ymm3,ymm6
    vpunpckhbw   ymm6,ymm3,ymm6
    vpunpcklbw   ymm5,ymm8,ymm4
    vpunpckhbw   ymm4,ymm8,ymm4
    vpunpcklbw   ymm3,ymm9,ymm1
    vpunpckhbw   ymm2,ymm9,ymm1
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
    mov          QWORD PTR [rsp+0x20],r11
    lea          r11,[r14+0xc0]
    mov          QWORD PTR [rsp+0x40],r11
    lea          r11,[r14+0xe0]
    mov          QWORD PTR [rsp+0x60],r11
    vmovntdq     YMMWORD PTR [r14],ymm7
    vmovntdq     YMMWORD PTR [r15],ymm6
    vmovntdq     YMMWORD PTR [r12],ymm5
    mov          r12,rcx
    mov          rcx,r10
    vmovntdq     YMMWORD PTR [r13+0x0],ymm4
    vmovntdq     YMMWORD PTR [rbx],ymm3
    mov          r10,QWORD PTR [rsp+0x20]
    vmovntdq     YMMWORD PTR [r10],ymm2
    mov          r11,QWORD PTR [rbp+0x10]
    mov          r10,QWORD PTR [rsp+0x40]
    vmovntdq     YMMWORD PTR [r10],ymm1
    mov          r10,QWORD PTR [rsp+0x60]
    vmovntdq     YMMWORD PTR [r10],ymm0
    cmp          rax,QWORD PTR [rsp+0x80]
    jne          .2
    jmp          .out
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
