.0:
    mov          r10,r14
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
    vpunpckhbw   ymm10,ymm4,ymm6
    vmovdqu      YMMWORD PTR [rsp+0x260],ymm10
    vpunpckhbw   ymm3,ymm8,ymm3
    vpunpcklbw   ymm4,ymm1,ymm2
    vpunpckhbw   ymm1,ymm1,ymm2
    vpunpcklbw   ymm1,ymm5,ymm1
    vmovdqu      YMMWORD PTR [rsp+0x1a0],ymm1
    vpunpcklbw   ymm8,ymm7,ymm3
    vmovdqu      YMMWORD PTR [rsp+0x200],ymm8
    vpunpckhbw   ymm6,ymm7,ymm3
    vmovdqu      YMMWORD PTR [rsp+0x160],ymm6
    vpunpcklbw   ymm15,ymm9,ymm4
    vmovdqu      YMMWORD PTR [rsp+0x120],ymm15
    vpunpckhbw   ymm14,ymm9,ymm4
    vpermq       ymm0,ymm0,0xd8
    vpbroadcastb ymm1,BYTE PTR [const1]
    vpand        ymm7,ymm0,ymm1
    vpcmpeqb     ymm2,ymm12,ymm7
    vpcmpeqb     ymm3,ymm7,YMMWORD PTR [const2]
    vpcmpeqb     ymm4,ymm7,YMMWORD PTR [const3]
    vpbroadcastq ymm1,QWORD PTR [const4]
    vpshufb      ymm0,ymm1,ymm0
    vpaddb       ymm1,ymm0,ymm0
    vpxor        xmm9,xmm9,xmm9
    vpcmpeqd     ymm5,ymm5,ymm5
    vpaddb       ymm12,ymm0,ymm5
    vpsubb       ymm13,ymm9,ymm1
    vpavgb       ymm5,ymm9,ymm0
    vpor         ymm1,ymm1,ymm5
    vpandn       ymm1,ymm0,ymm1
    vpand        ymm0,ymm2,ymm1
    vmovdqu      YMMWORD PTR [rsp+0x240],ymm0
    vpandn       ymm0,ymm10,ymm0
    vpand        ymm2,ymm13,ymm0
    vpand        ymm5,ymm12,ymm0
    vpavgb       ymm5,ymm9,ymm5
    vpand        ymm3,ymm3,ymm1
    vmovdqu      YMMWORD PTR [rsp+0x220],ymm3
    vpaddb       ymm0,ymm0,ymm2
    vpaddb       ymm0,ymm3,ymm0
    vpsubb       ymm0,ymm0,ymm5
    vmovdqu      YMMWORD PTR [rsp+0x1e0],ymm0
    vpandn       ymm0,ymm8,ymm0
    vpand        ymm2,ymm13,ymm0
    vpand        ymm3,ymm4,ymm1
    vmovdqu      YMMWORD PTR [rsp+0x1c0],ymm3
    vpaddb       ymm3,ymm3,ymm0
    vpaddb       ymm2,ymm3,ymm2
    vpand        ymm0,ymm12,ymm0
    vpavgb       ymm0,ymm9,ymm0
    vpsubb       ymm2,ymm2,ymm0
    vmovdqu      YMMWORD PTR [rsp+0x140],ymm2
    vpcmpeqb     ymm0,ymm7,YMMWORD PTR [const5]
    vpand        ymm3,ymm0,ymm1
    vmovdqu      YMMWORD PTR [rsp+0x180],ymm3
    vpandn       ymm0,ymm6,ymm2
    vpand        ymm2,ymm13,ymm0
    vpaddb       ymm3,ymm3,ymm0
    vpaddb       ymm2,ymm3,ymm2
    vpand        ymm0,ymm12,ymm0
    vpavgb       ymm0,ymm9,ymm0
    vpsubb       ymm11,ymm2,ymm0
    vpcmpeqb     ymm0,ymm7,YMMWORD PTR [const6]
    vpand        ymm10,ymm0,ymm1
    vpandn       ymm0,ymm15,ymm11
    vpand        ymm2,ymm13,ymm0
    vpaddb       ymm5,ymm10,ymm0
    vpaddb       ymm2,ymm5,ymm2
    vpand        ymm0,ymm12,ymm0
    vpavgb       ymm0,ymm9,ymm0
    vpsubb       ymm8,ymm2,ymm0
    vpcmpeqb     ymm0,ymm7,YMMWORD PTR [const7]
    vpand        ymm6,ymm0,ymm1
    vmovdqa      ymm4,ymm14
    vpandn       ymm5,ymm14,ymm8
    vpand        ymm0,ymm13,ymm5
    vpaddb       ymm14,ymm6,ymm5
    vpaddb       ymm0,ymm14,ymm0
    vpand        ymm5,ymm12,ymm5
    vpavgb       ymm5,ymm9,ymm5
    vpsubb       ymm3,ymm0,ymm5
    vpcmpeqb     ymm5,ymm7,YMMWORD PTR [const8]
    vpand        ymm14,ymm5,ymm1
    vmovdqu      ymm2,YMMWORD PTR [rsp+0x1a0]
    vpandn       ymm5,ymm2,ymm3
    vpand        ymm0,ymm13,ymm5
    vpaddb       ymm15,ymm14,ymm5
    vpaddb       ymm0,ymm15,ymm0
    vpand        ymm5,ymm12,ymm5
    vpavgb       ymm5,ymm9,ymm5
    vpsubb       ymm5,ymm0,ymm5
    vpcmpeqb     ymm0,ymm7,YMMWORD PTR [const9]
    vpand        ymm0,ymm0,ymm1
    vpor         ymm1,ymm0,ymm3
    vpandn       ymm0,ymm2,ymm0
    vpand        ymm2,ymm13,ymm0
    vpaddb       ymm2,ymm0,ymm2
    vpaddb       ymm2,ymm14,ymm2
    vpand        ymm0,ymm12,ymm0
    vpavgb       ymm0,ymm9,ymm0
    vpsubb       ymm0,ymm2,ymm0
    vpor         ymm14,ymm8,ymm0
    vpandn       ymm0,ymm4,ymm0
    vpaddb       ymm2,ymm6,ymm0
    vpand        ymm3,ymm13,ymm0
    vpaddb       ymm2,ymm2,ymm3
    vpand        ymm0,ymm12,ymm0
    vpavgb       ymm0,ymm9,ymm0
    vpsubb       ymm0,ymm2,ymm0
    vpor         ymm2,ymm11,ymm0
    vmovdqu      ymm3,YMMWORD PTR [rsp+0x120]
    vpandn       ymm0,ymm3,ymm0
    vpaddb       ymm3,ymm10,ymm0
    vpand        ymm4,ymm13,ymm0
    vpaddb       ymm3,ymm3,ymm4
    vpand        ymm0,ymm12,ymm0
    vpavgb       ymm0,ymm9,ymm0
    vpsubb       ymm3,ymm3,ymm0
    vpor         ymm0,ymm3,YMMWORD PTR [rsp+0x140]
    vmovdqu      ymm4,YMMWORD PTR [rsp+0x160]
    vpandn       ymm3,ymm4,ymm3
    vpand        ymm4,ymm13,ymm3
    vpaddb       ymm7,ymm3,YMMWORD PTR [rsp+0x180]
    vpaddb       ymm4,ymm7,ymm4
    vpand        ymm3,ymm12,ymm3
    vpavgb       ymm3,ymm9,ymm3
    vpsubb       ymm3,ymm4,ymm3
    vpor         ymm4,ymm3,YMMWORD PTR [rsp+0x1e0]
    vmovdqu      ymm7,YMMWORD PTR [rsp+0x200]
    vpandn       ymm3,ymm7,ymm3
    vpand        ymm7,ymm13,ymm3
    vpaddb       ymm8,ymm3,YMMWORD PTR [rsp+0x1c0]
    vpaddb       ymm7,ymm8,ymm7
    vpand        ymm3,ymm12,ymm3
    vpavgb       ymm3,ymm9,ymm3
    vpsubb       ymm3,ymm7,ymm3
    vpor         ymm7,ymm3,YMMWORD PTR [rsp+0x240]
    vmovdqu      ymm6,YMMWORD PTR [rsp+0x260]
    vpandn       ymm3,ymm6,ymm3
    vpand        ymm8,ymm13,ymm3
    vpand        ymm9,ymm12,ymm3
    vpxor        xmm12,xmm12,xmm12
    vpaddb       ymm3,ymm3,YMMWORD PTR [rsp+0x220]
    vpaddb       ymm3,ymm8,ymm3
    vpavgb       ymm8,ymm9,ymm12
    vpsubb       ymm3,ymm3,ymm8
    vpunpcklbw   ymm8,ymm3,ymm2
    vpunpckhbw   ymm2,ymm3,ymm2
    vpunpcklbw   ymm3,ymm7,ymm14
    vpunpckhbw   ymm6,ymm7,ymm14
    vpunpcklbw   ymm7,ymm4,ymm1
    vpunpckhbw   ymm1,ymm4,ymm1
    vpunpcklbw   ymm4,ymm0,ymm5
    vpunpckhbw   ymm0,ymm0,ymm5
    vpunpcklbw   ymm5,ymm8,ymm7
    vpunpckhbw   ymm8,ymm8,ymm7
    vpunpcklbw   ymm9,ymm3,ymm4
    vpunpckhbw   ymm3,ymm3,ymm4
    vpunpcklbw   ymm10,ymm2,ymm1
    vpunpckhbw   ymm11,ymm2,ymm1
    vpunpcklbw   ymm1,ymm6,ymm0
    vpunpckhbw   ymm0,ymm6,ymm0
    vpunpcklbw   ymm7,ymm5,ymm9
    vpunpckhbw   ymm6,ymm5,ymm9
    vpunpcklbw   ymm5,ymm8,ymm3
    vpunpckhbw   ymm4,ymm8,ymm3
    vpunpcklbw   ymm3,ymm10,ymm1
    vpunpckhbw   ymm2,ymm10,ymm1
    vpunpcklbw   ymm1,ymm11,ymm0
    vpunpckhbw   ymm0,ymm11,ymm0
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
    lea          rcx,[r13+rdi*8+0x60]
    lea          r15,[r13+rdi*8+0x80]
    lea          r12,[r13+rdi*8+0xa0]
    vmovntdq     YMMWORD PTR [r9],ymm7
    vmovntdq     YMMWORD PTR [r10],ymm6
    vmovntdq     YMMWORD PTR [r11],ymm5
    vmovntdq     YMMWORD PTR [rcx],ymm4
    vmovntdq     YMMWORD PTR [r15],ymm3
    vmovntdq     YMMWORD PTR [r12],ymm2
    lea          rcx,[rdi*8+0xc0]
    add          rcx,r13
    vmovntdq     YMMWORD PTR [rcx],ymm1
    add          r9,0xe0
    vmovntdq     YMMWORD PTR [r9],ymm0
    cmp          rdi,r8
    jne          .2
    jmp          .out
    nop          DWORD PTR [rax+0x0]
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
    je           .out
.2:
    test         rdi,rdi
    lea          rdi,[rdi+0x20]
    cmove        rdi,rsi
    cmp          rdi,r8
    cmovae       rdi,r8
    mov          r10,rax
    sub          r10,rdi
    lea          r9,[rbx+rdi*1]
    cmp          r10,0x20
    jae          .0
