.0:
    mov          r10,rbx
    sub          r10,rdi
    jb           .out
    cmp          r10,0x20
    jb           .out
    mov          r10,rdx
    sub          r10,rdi
    jb           .out
    cmp          r10,0x20
    jb           .out
    vmovdqu      ymm0,YMMWORD PTR [r9]
    vpshufb      ymm0,ymm0,YMMWORD PTR [const0]
    vmovdqu      ymm1,YMMWORD PTR [rbp+rdi*8+0x0]
    vmovdqu      ymm2,YMMWORD PTR [rbp+rdi*8+0x20]
    vmovdqu      ymm3,YMMWORD PTR [rbp+rdi*8+0x40]
    vmovdqu      ymm4,YMMWORD PTR [rbp+rdi*8+0x60]
    vmovdqu      ymm5,YMMWORD PTR [rbp+rdi*8+0xa0]
    vmovdqu      ymm6,YMMWORD PTR [rbp+rdi*8+0xc0]
    vmovdqu      ymm7,YMMWORD PTR [rbp+rdi*8+0xe0]
    vmovdqu      ymm8,YMMWORD PTR [rbp+rdi*8+0x80]
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
    vpunpckhbw   ymm6,ymm5,ymm6
    vpunpcklbw   ymm5,ymm8,ymm3
    vpunpckhbw   ymm3,ymm8,ymm3
    vpunpcklbw   ymm8,ymm1,ymm2
    vpunpckhbw   ymm10,ymm1,ymm2
    vpunpcklbw   ymm1,ymm4,ymm5
    vmovdqu      YMMWORD PTR [rsp+0x280],ymm1
    vpunpckhbw   ymm11,ymm4,ymm5
    vpunpcklbw   ymm14,ymm7,ymm3
    vpunpckhbw   ymm13,ymm7,ymm3
    vpunpcklbw   ymm3,ymm9,ymm8
    vpunpckhbw   ymm1,ymm9,ymm8
    vmovdqu      YMMWORD PTR [rsp+0x1a0],ymm1
    vpunpcklbw   ymm1,ymm6,ymm10
    vmovdqu      YMMWORD PTR [rsp+0x20],ymm1
    vpunpckhbw   ymm1,ymm6,ymm10
    vmovdqu      YMMWORD PTR [rsp+0x320],ymm1
    vpermq       ymm0,ymm0,0xd8
    vpbroadcastb ymm1,BYTE PTR [const1]
    vpand        ymm6,ymm0,ymm1
    vpcmpeqb     ymm9,ymm12,ymm6
    vpcmpeqb     ymm15,ymm6,YMMWORD PTR [const2]
    vmovdqu      YMMWORD PTR [rsp+0x220],ymm15
    vpcmpeqb     ymm4,ymm6,YMMWORD PTR [const3]
    vmovdqu      YMMWORD PTR [rsp+0x200],ymm4
    vpcmpeqb     ymm2,ymm6,YMMWORD PTR [const4]
    vmovdqu      YMMWORD PTR [rsp+0x1c0],ymm2
    vpcmpeqb     ymm12,ymm6,YMMWORD PTR [const5]
    vmovdqu      YMMWORD PTR [rsp+0x1e0],ymm12
    vpcmpeqb     ymm5,ymm6,YMMWORD PTR [const6]
    vmovdqu      YMMWORD PTR [rsp+0x180],ymm5
    vpcmpeqb     ymm7,ymm6,YMMWORD PTR [const7]
    vmovdqu      YMMWORD PTR [rsp+0x160],ymm7
    vpcmpeqb     ymm1,ymm6,ymm1
    vmovdqu      YMMWORD PTR [rsp+0x140],ymm1
    vpbroadcastq ymm1,QWORD PTR [const8]
    vpshufb      ymm0,ymm1,ymm0
    vpand        ymm1,ymm9,ymm0
    vmovdqu      YMMWORD PTR [rsp+0x3a0],ymm1
    vmovdqu      YMMWORD PTR [rsp+0x2a0],ymm9
    vpandn       ymm6,ymm11,ymm1
    vmovdqa      ymm10,ymm11
    vmovdqu      YMMWORD PTR [rsp+0x2c0],ymm11
    vpand        ymm1,ymm15,ymm0
    vmovdqu      YMMWORD PTR [rsp+0x420],ymm1
    vpaddb       ymm1,ymm6,ymm1
    vmovdqu      YMMWORD PTR [rsp+0x380],ymm1
    vpandn       ymm6,ymm14,ymm1
    vpand        ymm15,ymm4,ymm0
    vpaddb       ymm1,ymm15,ymm6
    vmovdqu      YMMWORD PTR [rsp+0x3c0],ymm1
    vpandn       ymm6,ymm13,ymm1
    vpand        ymm4,ymm2,ymm0
    vpaddb       ymm1,ymm6,ymm4
    vmovdqu      YMMWORD PTR [rsp+0x400],ymm1
    vmovdqa      ymm11,ymm3
    vpandn       ymm6,ymm3,ymm1
    vpand        ymm8,ymm12,ymm0
    vpaddb       ymm1,ymm8,ymm6
    vmovdqu      YMMWORD PTR [rsp+0x340],ymm1
    vmovdqu      ymm3,YMMWORD PTR [rsp+0x1a0]
    vpandn       ymm6,ymm3,ymm1
    vpand        ymm1,ymm5,ymm0
    vpaddb       ymm2,ymm6,ymm1
    vmovdqu      YMMWORD PTR [rsp+0x360],ymm2
    vmovdqu      ymm5,YMMWORD PTR [rsp+0x20]
    vpandn       ymm6,ymm5,ymm2
    vpand        ymm12,ymm7,ymm0
    vpaddb       ymm2,ymm12,ymm6
    vmovdqu      YMMWORD PTR [rsp+0x3e0],ymm2
    vmovdqu      ymm7,YMMWORD PTR [rsp+0x140]
    vpand        ymm2,ymm7,ymm0
    vmovdqu      YMMWORD PTR [rsp+0x2e0],ymm2
    vpandn       ymm6,ymm5,ymm2
    vpaddb       ymm2,ymm12,ymm6
    vmovdqu      YMMWORD PTR [rsp+0x260],ymm2
    vpandn       ymm6,ymm3,ymm2
    vmovdqa      ymm12,ymm3
    vpaddb       ymm1,ymm6,ymm1
    vmovdqu      YMMWORD PTR [rsp+0x300],ymm1
    vpandn       ymm1,ymm11,ymm1
    vpaddb       ymm1,ymm8,ymm1
    vmovdqu      YMMWORD PTR [rsp+0x240],ymm1
    vpandn       ymm1,ymm13,ymm1
    vpaddb       ymm8,ymm1,ymm4
    vpandn       ymm1,ymm14,ymm8
    vpaddb       ymm15,ymm15,ymm1
    vpand        ymm1,ymm9,YMMWORD PTR [rsp+0x280]
    vmovdqu      ymm5,YMMWORD PTR [rsp+0x220]
    vpand        ymm2,ymm10,ymm5
    vpor         ymm1,ymm2,ymm1
    vmovdqu      ymm6,YMMWORD PTR [rsp+0x200]
    vpand        ymm2,ymm14,ymm6
    vmovdqu      ymm10,YMMWORD PTR [rsp+0x1c0]
    vpand        ymm3,ymm10,ymm13
    vpor         ymm2,ymm2,ymm3
    vpor         ymm1,ymm1,ymm2
    vmovdqu      ymm9,YMMWORD PTR [rsp+0x1e0]
    vpand        ymm2,ymm9,ymm11
    vmovdqu      ymm13,YMMWORD PTR [rsp+0x180]
    vpand        ymm3,ymm13,ymm12
    vpor         ymm2,ymm2,ymm3
    vmovdqu      ymm11,YMMWORD PTR [rsp+0x160]
    vpand        ymm3,ymm11,YMMWORD PTR [rsp+0x20]
    vpor         ymm2,ymm2,ymm3
    vpor         ymm1,ymm1,ymm2
    vpand        ymm2,ymm7,YMMWORD PTR [rsp+0x320]
    vpor         ymm1,ymm1,ymm2
    vpaddb       ymm2,ymm0,ymm0
    vpxor        xmm3,xmm3,xmm3
    vpsubb       ymm3,ymm3,ymm2
    vpand        ymm3,ymm1,ymm3
    vpsubb       ymm2,ymm3,ymm2
    vpxor        ymm2,ymm3,ymm2
    vpcmpeqd     ymm3,ymm3,ymm3
    vpaddb       ymm3,ymm0,ymm3
    vpand        ymm1,ymm1,ymm3
    vmovdqa      ymm3,YMMWORD PTR [const9]
    vpshufb      ymm3,ymm3,ymm1
    vpsrlw       ymm1,ymm1,0x4
    vpand        ymm1,ymm1,YMMWORD PTR [const10]
    vmovdqa      ymm4,YMMWORD PTR [const11]
    vpshufb      ymm1,ymm4,ymm1
    vpmaxub      ymm1,ymm3,ymm1
    vpsubb       ymm0,ymm0,ymm1
    vpor         ymm0,ymm2,ymm0
    vpand        ymm1,ymm5,ymm0
    vpor         ymm2,ymm15,YMMWORD PTR [rsp+0x3a0]
    vpor         ymm1,ymm1,ymm2
    vpor         ymm2,ymm8,YMMWORD PTR [rsp+0x380]
    vpand        ymm3,ymm6,ymm0
    vpor         ymm2,ymm3,ymm2
    vmovdqu      ymm3,YMMWORD PTR [rsp+0x240]
    vpor         ymm3,ymm3,YMMWORD PTR [rsp+0x3c0]
    vpand        ymm4,ymm10,ymm0
    vpor         ymm3,ymm4,ymm3
    vmovdqu      ymm4,YMMWORD PTR [rsp+0x260]
    vpor         ymm4,ymm4,YMMWORD PTR [rsp+0x340]
    vpand        ymm5,ymm13,ymm0
    vpor         ymm4,ymm5,ymm4
    vmovdqu      ymm5,YMMWORD PTR [rsp+0x2e0]
    vpor         ymm5,ymm5,YMMWORD PTR [rsp+0x360]
    vpand        ymm6,ymm11,ymm0
    vpor         ymm5,ymm6,ymm5
    vpand        ymm6,ymm7,ymm0
    vpor         ymm6,ymm6,YMMWORD PTR [rsp+0x3e0]
    vmovdqu      ymm7,YMMWORD PTR [rsp+0x300]
    vpor         ymm7,ymm7,YMMWORD PTR [rsp+0x400]
    vpand        ymm8,ymm9,ymm0
    vpor         ymm7,ymm8,ymm7
    vpand        ymm0,ymm0,YMMWORD PTR [rsp+0x2a0]
    vmovdqu      ymm8,YMMWORD PTR [rsp+0x2c0]
    vpandn       ymm8,ymm8,ymm15
    vpaddb       ymm8,ymm8,YMMWORD PTR [rsp+0x420]
    vpor         ymm0,ymm8,ymm0
    vpunpcklbw   ymm8,ymm0,ymm7
    vpunpckhbw   ymm0,ymm0,ymm7
    vpunpcklbw   ymm7,ymm1,ymm4
    vpunpckhbw   ymm1,ymm1,ymm4
    vpunpcklbw   ymm4,ymm2,ymm5
    vpunpckhbw   ymm2,ymm2,ymm5
    vpunpcklbw   ymm5,ymm3,ymm6
    vpunpckhbw   ymm3,ymm3,ymm6
    vpunpcklbw   ymm6,ymm8,ymm4
    vpunpckhbw   ymm4,ymm8,ymm4
    vpunpcklbw   ymm8,ymm7,ymm5
    vpunpckhbw   ymm9,ymm7,ymm5
    vpunpcklbw   ymm10,ymm0,ymm2
    vpunpckhbw   ymm0,ymm0,ymm2
    vpunpcklbw   ymm2,ymm1,ymm3
    vpunpckhbw   ymm11,ymm1,ymm3
    vpunpcklbw   ymm7,ymm6,ymm8
    vpunpckhbw   ymm6,ymm6,ymm8
    vpunpcklbw   ymm5,ymm4,ymm9
    vpunpckhbw   ymm4,ymm4,ymm9
    vpunpcklbw   ymm3,ymm10,ymm2
    vpunpckhbw   ymm2,ymm10,ymm2
    vpunpcklbw   ymm1,ymm0,ymm11
    vpunpckhbw   ymm0,ymm0,ymm11
    lea          r9,[rcx+rdi*8]
    cmp          rdx,0x200000
    jb           .1
    mov          r10d,r9d
    and          r10d,0x18
    jne          .1
    lea          r10,[rcx+rdi*8]
    add          r10,0x20
    lea          r11,[rcx+rdi*8+0x40]
    lea          r15,[rcx+rdi*8+0x60]
    lea          r12,[rcx+rdi*8+0x80]
    lea          r13,[rcx+rdi*8+0xa0]
    vmovntdq     YMMWORD PTR [r9],ymm7
    vmovntdq     YMMWORD PTR [r10],ymm6
    vmovntdq     YMMWORD PTR [r11],ymm5
    vmovntdq     YMMWORD PTR [r15],ymm4
    vmovntdq     YMMWORD PTR [r12],ymm3
    vmovntdq     YMMWORD PTR [r13+0x0],ymm2
    lea          r9,[rcx+rdi*8+0xc0]
    vmovntdq     YMMWORD PTR [r9],ymm1
    lea          r9,[rcx+rdi*8]
    add          r9,0xe0
    vmovntdq     YMMWORD PTR [r9],ymm0
    cmp          rdi,r8
    vpxor        xmm12,xmm12,xmm12
    jne          .2
    jmp          .out
.1:
    vmovdqu      YMMWORD PTR [r9],ymm7
    vmovdqu      YMMWORD PTR [r9+0x20],ymm6
    vmovdqu      YMMWORD PTR [r9+0x40],ymm5
    vmovdqu      YMMWORD PTR [r9+0x60],ymm4
    vmovdqu      YMMWORD PTR [r9+0x80],ymm3
    vmovdqu      YMMWORD PTR [r9+0xa0],ymm2
    vmovdqu      YMMWORD PTR [r9+0xc0],ymm1
    vmovdqu      YMMWORD PTR [r9+0xe0],ymm0
    cmp          rdi,r8
    vpxor        xmm12,xmm12,xmm12
    je           .out
.2:
    test         rdi,rdi
    lea          rdi,[rdi+0x20]
    cmove        rdi,rsi
    cmp          rdi,r8
    cmovae       rdi,r8
    mov          r10,rax
    sub          r10,rdi
    lea          r9,[r14+rdi*1]
    cmp          r10,0x20
    jae          .0
