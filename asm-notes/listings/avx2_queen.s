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
    vpunpckhbw   ymm5,ymm5,ymm6
    vpunpcklbw   ymm6,ymm8,ymm3
    vpunpckhbw   ymm3,ymm8,ymm3
    vpunpcklbw   ymm8,ymm1,ymm2
    vpunpckhbw   ymm1,ymm1,ymm2
    vpunpcklbw   ymm2,ymm4,ymm6
    vmovdqu      YMMWORD PTR [rsp+0x440],ymm2
    vpunpckhbw   ymm4,ymm4,ymm6
    vmovdqu      YMMWORD PTR [rsp+0x40],ymm4
    vpunpcklbw   ymm13,ymm7,ymm3
    vmovdqu      YMMWORD PTR [rsp+0x2c0],ymm13
    vpunpckhbw   ymm7,ymm7,ymm3
    vmovdqu      YMMWORD PTR [rsp+0x200],ymm7
    vpunpcklbw   ymm10,ymm9,ymm8
    vmovdqu      YMMWORD PTR [rsp+0x160],ymm10
    vpunpckhbw   ymm12,ymm9,ymm8
    vpunpcklbw   ymm11,ymm5,ymm1
    vpunpckhbw   ymm1,ymm5,ymm1
    vmovdqu      YMMWORD PTR [rsp+0x480],ymm1
    vpermq       ymm0,ymm0,0xd8
    vpbroadcastb ymm1,BYTE PTR [const1]
    vpand        ymm1,ymm0,ymm1
    vpxor        xmm9,xmm9,xmm9
    vpcmpeqb     ymm3,ymm9,ymm1
    vmovdqu      YMMWORD PTR [rsp+0x380],ymm3
    vpbroadcastq ymm2,QWORD PTR [const2]
    vpshufb      ymm5,ymm2,ymm0
    vpaddb       ymm6,ymm5,ymm5
    vmovdqu      YMMWORD PTR [rsp+0x400],ymm6
    vpsubb       ymm15,ymm9,ymm6
    vpavgb       ymm0,ymm9,ymm5
    vpor         ymm0,ymm5,ymm0
    vmovdqu      YMMWORD PTR [rsp+0x420],ymm5
    vpor         ymm6,ymm0,ymm6
    vpand        ymm0,ymm3,ymm6
    vmovdqu      YMMWORD PTR [rsp+0x460],ymm0
    vpandn       ymm2,ymm4,ymm0
    vpand        ymm0,ymm15,ymm2
    vpaddb       ymm3,ymm2,ymm0
    vpcmpeqd     ymm0,ymm0,ymm0
    vpaddb       ymm0,ymm5,ymm0
    vpand        ymm2,ymm2,ymm0
    vpavgb       ymm2,ymm9,ymm2
    vpcmpeqb     ymm4,ymm1,YMMWORD PTR [const3]
    vmovdqu      YMMWORD PTR [rsp+0x360],ymm4
    vpand        ymm4,ymm4,ymm6
    vmovdqu      YMMWORD PTR [rsp+0x4a0],ymm4
    vpaddb       ymm3,ymm3,ymm4
    vpsubb       ymm2,ymm3,ymm2
    vmovdqu      YMMWORD PTR [rsp+0x3e0],ymm2
    vpcmpeqb     ymm4,ymm1,YMMWORD PTR [const4]
    vmovdqu      YMMWORD PTR [rsp+0x300],ymm4
    vpandn       ymm2,ymm13,ymm2
    vpand        ymm3,ymm15,ymm2
    vpand        ymm4,ymm4,ymm6
    vmovdqu      YMMWORD PTR [rsp+0x20],ymm4
    vpaddb       ymm5,ymm2,ymm4
    vpaddb       ymm3,ymm5,ymm3
    vpand        ymm2,ymm2,ymm0
    vpavgb       ymm2,ymm9,ymm2
    vpsubb       ymm2,ymm3,ymm2
    vmovdqu      YMMWORD PTR [rsp+0x3a0],ymm2
    vpcmpeqb     ymm4,ymm1,YMMWORD PTR [const5]
    vmovdqu      YMMWORD PTR [rsp+0x2a0],ymm4
    vpandn       ymm2,ymm7,ymm2
    vpand        ymm3,ymm15,ymm2
    vpand        ymm7,ymm4,ymm6
    vpaddb       ymm5,ymm2,ymm7
    vpaddb       ymm3,ymm5,ymm3
    vpand        ymm2,ymm2,ymm0
    vpavgb       ymm2,ymm9,ymm2
    vpsubb       ymm3,ymm3,ymm2
    vmovdqu      YMMWORD PTR [rsp+0x3c0],ymm3
    vpcmpeqb     ymm2,ymm1,YMMWORD PTR [const6]
    vmovdqu      YMMWORD PTR [rsp+0x260],ymm2
    vpandn       ymm3,ymm10,ymm3
    vpand        ymm5,ymm15,ymm3
    vpand        ymm4,ymm2,ymm6
    vpaddb       ymm8,ymm3,ymm4
    vpaddb       ymm5,ymm8,ymm5
    vpand        ymm3,ymm3,ymm0
    vpavgb       ymm3,ymm9,ymm3
    vpsubb       ymm2,ymm5,ymm3
    vmovdqu      YMMWORD PTR [rsp+0x340],ymm2
    vpcmpeqb     ymm8,ymm1,YMMWORD PTR [const7]
    vmovdqa      ymm13,ymm12
    vpandn       ymm3,ymm12,ymm2
    vpand        ymm5,ymm15,ymm3
    vpand        ymm2,ymm8,ymm6
    vpaddb       ymm10,ymm3,ymm2
    vpaddb       ymm5,ymm10,ymm5
    vpand        ymm3,ymm3,ymm0
    vpavgb       ymm3,ymm9,ymm3
    vpsubb       ymm3,ymm5,ymm3
    vmovdqu      YMMWORD PTR [rsp+0x320],ymm3
    vpcmpeqb     ymm5,ymm1,YMMWORD PTR [const8]
    vmovdqu      YMMWORD PTR [rsp+0x1e0],ymm5
    vmovdqu      YMMWORD PTR [rsp+0x1a0],ymm11
    vpandn       ymm3,ymm11,ymm3
    vpand        ymm12,ymm15,ymm3
    vpand        ymm10,ymm5,ymm6
    vpaddb       ymm14,ymm10,ymm3
    vpaddb       ymm12,ymm14,ymm12
    vpand        ymm3,ymm3,ymm0
    vpavgb       ymm3,ymm9,ymm3
    vpsubb       ymm3,ymm12,ymm3
    vmovdqu      YMMWORD PTR [rsp+0x2e0],ymm3
    vpcmpeqb     ymm1,ymm1,YMMWORD PTR [const9]
    vmovdqu      YMMWORD PTR [rsp+0x1c0],ymm1
    vpand        ymm3,ymm1,ymm6
    vmovdqu      YMMWORD PTR [rsp+0x280],ymm3
    vpandn       ymm1,ymm11,ymm3
    vpand        ymm6,ymm15,ymm1
    vpaddb       ymm6,ymm1,ymm6
    vpaddb       ymm6,ymm10,ymm6
    vpand        ymm1,ymm1,ymm0
    vpavgb       ymm1,ymm9,ymm1
    vpsubb       ymm1,ymm6,ymm1
    vmovdqu      YMMWORD PTR [rsp+0x240],ymm1
    vpandn       ymm1,ymm13,ymm1
    vmovdqa      ymm12,ymm13
    vpaddb       ymm2,ymm1,ymm2
    vpand        ymm6,ymm15,ymm1
    vpaddb       ymm2,ymm2,ymm6
    vpand        ymm1,ymm1,ymm0
    vpavgb       ymm1,ymm9,ymm1
    vpsubb       ymm1,ymm2,ymm1
    vmovdqu      YMMWORD PTR [rsp+0x220],ymm1
    vmovdqu      ymm5,YMMWORD PTR [rsp+0x160]
    vpandn       ymm1,ymm5,ymm1
    vpaddb       ymm2,ymm1,ymm4
    vpand        ymm4,ymm15,ymm1
    vpaddb       ymm2,ymm2,ymm4
    vpand        ymm1,ymm1,ymm0
    vpavgb       ymm1,ymm9,ymm1
    vpsubb       ymm1,ymm2,ymm1
    vmovdqu      YMMWORD PTR [rsp+0x180],ymm1
    vmovdqu      ymm10,YMMWORD PTR [rsp+0x200]
    vpandn       ymm2,ymm10,ymm1
    vpaddb       ymm4,ymm2,ymm7
    vpand        ymm7,ymm15,ymm2
    vpaddb       ymm4,ymm4,ymm7
    vpand        ymm2,ymm2,ymm0
    vpavgb       ymm2,ymm9,ymm2
    vpsubb       ymm7,ymm4,ymm2
    vmovdqu      ymm13,YMMWORD PTR [rsp+0x2c0]
    vpandn       ymm2,ymm13,ymm7
    vpaddb       ymm4,ymm2,YMMWORD PTR [rsp+0x20]
    vpand        ymm14,ymm15,ymm2
    vpaddb       ymm4,ymm14,ymm4
    vpand        ymm2,ymm2,ymm0
    vpavgb       ymm2,ymm9,ymm2
    vpsubb       ymm1,ymm4,ymm2
    vmovdqu      YMMWORD PTR [rsp+0x20],ymm1
    vmovdqu      ymm11,YMMWORD PTR [rsp+0x380]
    vpand        ymm4,ymm11,YMMWORD PTR [rsp+0x440]
    vmovdqu      ymm1,YMMWORD PTR [rsp+0x360]
    vpand        ymm14,ymm1,YMMWORD PTR [rsp+0x40]
    vpor         ymm4,ymm14,ymm4
    vmovdqu      ymm2,YMMWORD PTR [rsp+0x300]
    vpand        ymm14,ymm13,ymm2
    vmovdqu      ymm3,YMMWORD PTR [rsp+0x2a0]
    vpand        ymm13,ymm10,ymm3
    vpor         ymm13,ymm14,ymm13
    vpor         ymm4,ymm13,ymm4
    vmovdqu      ymm10,YMMWORD PTR [rsp+0x260]
    vpand        ymm13,ymm10,ymm5
    vpand        ymm14,ymm8,ymm12
    vpor         ymm13,ymm13,ymm14
    vmovdqu      ymm5,YMMWORD PTR [rsp+0x1e0]
    vpand        ymm14,ymm5,YMMWORD PTR [rsp+0x1a0]
    vpor         ymm13,ymm13,ymm14
    vpor         ymm4,ymm13,ymm4
    vmovdqu      ymm6,YMMWORD PTR [rsp+0x1c0]
    vpand        ymm13,ymm6,YMMWORD PTR [rsp+0x480]
    vpor         ymm4,ymm13,ymm4
    vpand        ymm13,ymm15,ymm4
    vpsubb       ymm14,ymm13,YMMWORD PTR [rsp+0x400]
    vpxor        ymm13,ymm13,ymm14
    vpand        ymm4,ymm4,ymm0
    vmovdqa      ymm14,YMMWORD PTR [const10]
    vpshufb      ymm14,ymm14,ymm4
    vpsrlw       ymm4,ymm4,0x4
    vpand        ymm4,ymm4,YMMWORD PTR [const11]
    vmovdqa      ymm12,YMMWORD PTR [const12]
    vpshufb      ymm4,ymm12,ymm4
    vpmaxub      ymm4,ymm14,ymm4
    vmovdqu      ymm9,YMMWORD PTR [rsp+0x420]
    vpsubb       ymm4,ymm9,ymm4
    vpor         ymm9,ymm13,ymm4
    vpand        ymm4,ymm9,ymm1
    vpor         ymm13,ymm4,YMMWORD PTR [rsp+0x460]
    vpor         ymm4,ymm7,YMMWORD PTR [rsp+0x3e0]
    vpand        ymm7,ymm9,ymm2
    vpor         ymm4,ymm7,ymm4
    vmovdqu      ymm1,YMMWORD PTR [rsp+0x180]
    vpor         ymm1,ymm1,YMMWORD PTR [rsp+0x3a0]
    vpand        ymm7,ymm9,ymm3
    vpor         ymm1,ymm7,ymm1
    vmovdqu      ymm2,YMMWORD PTR [rsp+0x240]
    vpor         ymm7,ymm2,YMMWORD PTR [rsp+0x340]
    vpand        ymm8,ymm8,ymm9
    vpor         ymm7,ymm8,ymm7
    vpand        ymm5,ymm9,ymm5
    vpor         ymm5,ymm5,YMMWORD PTR [rsp+0x280]
    vpor         ymm5,ymm5,YMMWORD PTR [rsp+0x320]
    vpand        ymm3,ymm9,ymm6
    vpor         ymm3,ymm3,YMMWORD PTR [rsp+0x2e0]
    vmovdqu      ymm2,YMMWORD PTR [rsp+0x220]
    vpor         ymm6,ymm2,YMMWORD PTR [rsp+0x3c0]
    vpand        ymm8,ymm10,ymm9
    vpor         ymm6,ymm8,ymm6
    vpand        ymm8,ymm11,ymm9
    vmovdqu      ymm10,YMMWORD PTR [rsp+0x20]
    vpor         ymm9,ymm13,ymm10
    vpxor        xmm12,xmm12,xmm12
    vmovdqu      ymm2,YMMWORD PTR [rsp+0x40]
    vpandn       ymm2,ymm2,ymm10
    vpand        ymm10,ymm15,ymm2
    vpand        ymm0,ymm2,ymm0
    vpaddb       ymm2,ymm2,YMMWORD PTR [rsp+0x4a0]
    vpaddb       ymm2,ymm10,ymm2
    vpavgb       ymm0,ymm12,ymm0
    vpsubb       ymm0,ymm2,ymm0
    vpor         ymm0,ymm8,ymm0
    vpunpcklbw   ymm2,ymm0,ymm6
    vpunpckhbw   ymm0,ymm0,ymm6
    vpunpcklbw   ymm6,ymm9,ymm7
    vpunpckhbw   ymm7,ymm9,ymm7
    vpunpcklbw   ymm8,ymm4,ymm5
    vpunpckhbw   ymm4,ymm4,ymm5
    vpunpcklbw   ymm5,ymm1,ymm3
    vpunpckhbw   ymm1,ymm1,ymm3
    vpunpcklbw   ymm3,ymm2,ymm8
    vpunpckhbw   ymm2,ymm2,ymm8
    vpunpcklbw   ymm8,ymm6,ymm5
    vpunpckhbw   ymm9,ymm6,ymm5
    vpunpcklbw   ymm10,ymm0,ymm4
    vpunpckhbw   ymm0,ymm0,ymm4
    vpunpcklbw   ymm11,ymm7,ymm1
    vpunpckhbw   ymm12,ymm7,ymm1
    vpunpcklbw   ymm7,ymm3,ymm8
    vpunpckhbw   ymm6,ymm3,ymm8
    vpunpcklbw   ymm5,ymm2,ymm9
    vpunpckhbw   ymm4,ymm2,ymm9
    vpunpcklbw   ymm3,ymm10,ymm11
    vpunpckhbw   ymm2,ymm10,ymm11
    vpunpcklbw   ymm1,ymm0,ymm12
    vpunpckhbw   ymm0,ymm0,ymm12
    lea          r9,[rdi*8+0x0]
    add          r9,r13
    cmp          rdx,0x200000
    jb           .1
    mov          r10d,r9d
    and          r10d,0x18
    jne          .1
    lea          r10,[rdi*8+0x20]
    add          r10,r13
    lea          r11,[r13+rdi*8+0x40]
    lea          r12,[r13+rdi*8+0x60]
    lea          r15,[r13+rdi*8+0x80]
    lea          r8,[r13+rdi*8+0xa0]
    vmovntdq     YMMWORD PTR [r9],ymm7
    vmovntdq     YMMWORD PTR [r10],ymm6
    vmovntdq     YMMWORD PTR [r11],ymm5
    vmovntdq     YMMWORD PTR [r12],ymm4
    vmovntdq     YMMWORD PTR [r15],ymm3
    vmovntdq     YMMWORD PTR [r8],ymm2
    lea          r8,[r13+rdi*8+0xc0]
    vmovntdq     YMMWORD PTR [r8],ymm1
    lea          r8,[rdi*8+0xe0]
    add          r8,r13
    vmovntdq     YMMWORD PTR [r8],ymm0
    cmp          rdi,rcx
    jne          .2
    jmp          .out
    nop          WORD PTR [rax+rax*1+0x0]
.1:
    vmovdqu      YMMWORD PTR [r9],ymm7
    vmovdqu      YMMWORD PTR [r9+0x20],ymm6
    vmovdqu      YMMWORD PTR [r9+0x40],ymm5
    vmovdqu      YMMWORD PTR [r9+0x60],ymm4
    vmovdqu      YMMWORD PTR [r9+0x80],ymm3
    vmovdqu      YMMWORD PTR [r9+0xa0],ymm2
    vmovdqu      YMMWORD PTR [r9+0xc0],ymm1
    vmovdqu      YMMWORD PTR [r9+0xe0],ymm0
    cmp          rdi,rcx
    je           .out
.2:
    test         rdi,rdi
    lea          rdi,[rdi+0x20]
    cmove        rdi,rsi
    cmp          rdi,rcx
    cmovae       rdi,rcx
    mov          r10,rax
    sub          r10,rdi
    lea          r9,[r14+rdi*1]
    cmp          r10,0x20
    jae          .0
