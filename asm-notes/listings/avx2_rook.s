.0:
    mov          r14,rcx
    sub          r14,rax
    jb           .out
    cmp          r14,0x20
    jb           .out
    mov          r14,r9
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
    vpunpckhbw   ymm6,ymm5,ymm6
    vpunpcklbw   ymm5,ymm8,ymm3
    vpunpckhbw   ymm3,ymm8,ymm3
    vpunpcklbw   ymm8,ymm1,ymm2
    vpunpckhbw   ymm1,ymm1,ymm2
    vpunpcklbw   ymm2,ymm4,ymm5
    vpunpckhbw   ymm4,ymm4,ymm5
    vmovdqu      YMMWORD PTR [rsp+0x70],ymm4
    vpunpcklbw   ymm14,ymm7,ymm3
    vmovdqu      YMMWORD PTR [rsp+0x90],ymm14
    vpunpckhbw   ymm3,ymm7,ymm3
    vmovdqu      YMMWORD PTR [rsp+0x30],ymm3
    vpunpcklbw   ymm15,ymm9,ymm8
    vmovdqu      YMMWORD PTR [rsp+0xb0],ymm15
    vpunpckhbw   ymm5,ymm9,ymm8
    vmovdqu      YMMWORD PTR [rsp+0x210],ymm5
    vpunpcklbw   ymm7,ymm6,ymm1
    vpunpckhbw   ymm1,ymm6,ymm1
    vmovdqu      YMMWORD PTR [rsp+0x10],ymm1
    vpermq       ymm11,ymm0,0xd8
    vpsrlw       ymm0,ymm11,0x3
    vpbroadcastb ymm10,BYTE PTR [const1]
    vpand        ymm0,ymm10,ymm0
    vpxor        xmm13,xmm13,xmm13
    vpcmpeqb     ymm6,ymm13,ymm0
    vpcmpeqb     ymm12,ymm0,YMMWORD PTR [const2]
    vpcmpeqb     ymm8,ymm0,YMMWORD PTR [const3]
    vpcmpeqb     ymm9,ymm0,YMMWORD PTR [const4]
    vpand        ymm1,ymm6,ymm2
    vpand        ymm2,ymm12,ymm4
    vpor         ymm1,ymm2,ymm1
    vpand        ymm2,ymm8,ymm14
    vpand        ymm4,ymm9,ymm3
    vpor         ymm2,ymm2,ymm4
    vpcmpeqb     ymm4,ymm0,YMMWORD PTR [const5]
    vpor         ymm3,ymm1,ymm2
    vpcmpeqb     ymm2,ymm0,YMMWORD PTR [const6]
    vpand        ymm1,ymm15,ymm4
    vpand        ymm15,ymm2,ymm5
    vpor         ymm15,ymm15,ymm1
    vpcmpeqb     ymm1,ymm0,YMMWORD PTR [const7]
    vpand        ymm14,ymm1,ymm7
    vmovdqa      ymm5,ymm7
    vmovdqu      YMMWORD PTR [rsp+0xf0],ymm7
    vpor         ymm14,ymm15,ymm14
    vpor         ymm3,ymm14,ymm3
    vpcmpeqb     ymm0,ymm10,ymm0
    vpand        ymm14,ymm0,YMMWORD PTR [rsp+0x10]
    vpor         ymm3,ymm14,ymm3
    vpbroadcastq ymm10,QWORD PTR [const8]
    vpshufb      ymm14,ymm10,ymm11
    vpaddb       ymm11,ymm14,ymm14
    vpsubb       ymm15,ymm13,ymm11
    vpand        ymm15,ymm15,ymm3
    vpcmpeqd     ymm10,ymm10,ymm10
    vpaddb       ymm13,ymm14,ymm10
    vpand        ymm3,ymm13,ymm3
    vmovdqa      ymm10,YMMWORD PTR [const9]
    vpshufb      ymm13,ymm10,ymm3
    vpsrlw       ymm3,ymm3,0x4
    vpand        ymm3,ymm3,YMMWORD PTR [const10]
    vmovdqa      ymm10,YMMWORD PTR [const11]
    vpshufb      ymm3,ymm10,ymm3
    vpmaxub      ymm3,ymm13,ymm3
    vpsubb       ymm11,ymm15,ymm11
    vpxor        ymm11,ymm15,ymm11
    vpsubb       ymm3,ymm14,ymm3
    vpor         ymm13,ymm11,ymm3
    vpand        ymm3,ymm13,ymm6
    vmovdqu      YMMWORD PTR [rsp+0x150],ymm3
    vpand        ymm3,ymm12,ymm13
    vmovdqu      YMMWORD PTR [rsp+0x170],ymm3
    vpand        ymm3,ymm8,ymm13
    vmovdqu      YMMWORD PTR [rsp+0x190],ymm3
    vpand        ymm3,ymm9,ymm13
    vmovdqu      YMMWORD PTR [rsp+0x1b0],ymm3
    vpand        ymm3,ymm13,ymm4
    vmovdqu      YMMWORD PTR [rsp+0x1d0],ymm3
    vpand        ymm3,ymm13,ymm2
    vmovdqu      YMMWORD PTR [rsp+0x1f0],ymm3
    vpand        ymm3,ymm13,ymm1
    vmovdqu      YMMWORD PTR [rsp+0x50],ymm3
    vpand        ymm3,ymm13,ymm0
    vmovdqu      YMMWORD PTR [rsp+0x10],ymm3
    vpand        ymm6,ymm14,ymm6
    vpand        ymm7,ymm12,ymm14
    vpand        ymm8,ymm8,ymm14
    vpand        ymm9,ymm9,ymm14
    vpand        ymm13,ymm14,ymm4
    vpand        ymm2,ymm14,ymm2
    vpand        ymm1,ymm14,ymm1
    vmovdqu      YMMWORD PTR [rsp+0x130],ymm1
    vpand        ymm3,ymm14,ymm0
    vmovdqu      YMMWORD PTR [rsp+0x110],ymm3
    vmovdqu      ymm4,YMMWORD PTR [rsp+0x70]
    vpandn       ymm0,ymm4,ymm6
    vpor         ymm0,ymm0,ymm7
    vmovdqu      YMMWORD PTR [rsp+0xd0],ymm0
    vpandn       ymm14,ymm5,ymm3
    vpor         ymm14,ymm14,ymm1
    vmovdqu      ymm1,YMMWORD PTR [rsp+0x90]
    vpandn       ymm15,ymm1,ymm0
    vpor         ymm15,ymm15,ymm8
    vmovdqu      ymm0,YMMWORD PTR [rsp+0x210]
    vpandn       ymm3,ymm0,ymm14
    vpor         ymm3,ymm3,ymm2
    vmovdqu      ymm12,YMMWORD PTR [rsp+0x30]
    vpandn       ymm11,ymm12,ymm15
    vpor         ymm11,ymm11,ymm9
    vmovdqu      ymm5,YMMWORD PTR [rsp+0xb0]
    vpandn       ymm10,ymm5,ymm3
    vpor         ymm10,ymm10,ymm13
    vpandn       ymm5,ymm5,ymm11
    vpor         ymm5,ymm13,ymm5
    vpandn       ymm12,ymm12,ymm10
    vpor         ymm9,ymm12,ymm9
    vpandn       ymm12,ymm0,ymm5
    vpor         ymm2,ymm12,ymm2
    vpandn       ymm12,ymm1,ymm9
    vpor         ymm8,ymm12,ymm8
    vpandn       ymm12,ymm4,ymm8
    vpor         ymm7,ymm12,ymm7
    vpor         ymm7,ymm7,YMMWORD PTR [rsp+0x150]
    vpor         ymm6,ymm8,ymm6
    vpor         ymm6,ymm6,YMMWORD PTR [rsp+0x170]
    vpor         ymm0,ymm9,YMMWORD PTR [rsp+0xd0]
    vpor         ymm0,ymm0,YMMWORD PTR [rsp+0x190]
    vpor         ymm8,ymm15,ymm10
    vpor         ymm8,ymm8,YMMWORD PTR [rsp+0x1b0]
    vpor         ymm3,ymm11,ymm3
    vpor         ymm3,ymm3,YMMWORD PTR [rsp+0x1d0]
    vpor         ymm5,ymm14,ymm5
    vpor         ymm5,ymm5,YMMWORD PTR [rsp+0x1f0]
    vmovdqu      ymm1,YMMWORD PTR [rsp+0xf0]
    vpandn       ymm9,ymm1,ymm2
    vpor         ymm1,ymm2,YMMWORD PTR [rsp+0x110]
    vpor         ymm1,ymm1,YMMWORD PTR [rsp+0x50]
    vpor         ymm2,ymm9,YMMWORD PTR [rsp+0x130]
    vpor         ymm2,ymm2,YMMWORD PTR [rsp+0x10]
    vpunpcklbw   ymm4,ymm7,ymm3
    vpunpckhbw   ymm3,ymm7,ymm3
    vpunpcklbw   ymm7,ymm6,ymm5
    vpunpckhbw   ymm5,ymm6,ymm5
    vpunpcklbw   ymm6,ymm0,ymm1
    vpunpckhbw   ymm0,ymm0,ymm1
    vpunpcklbw   ymm1,ymm8,ymm2
    vpunpckhbw   ymm2,ymm8,ymm2
    vpunpcklbw   ymm8,ymm4,ymm6
    vpunpckhbw   ymm4,ymm4,ymm6
    vpunpcklbw   ymm6,ymm7,ymm1
    vpunpckhbw   ymm1,ymm7,ymm1
    vpunpcklbw   ymm9,ymm3,ymm0
    vpunpckhbw   ymm0,ymm3,ymm0
    vpunpcklbw   ymm10,ymm5,ymm2
    vpunpckhbw   ymm11,ymm5,ymm2
    vpunpcklbw   ymm7,ymm8,ymm6
    vpunpckhbw   ymm6,ymm8,ymm6
    vpunpcklbw   ymm5,ymm4,ymm1
    vpunpckhbw   ymm4,ymm4,ymm1
    vpunpcklbw   ymm3,ymm9,ymm10
    vpunpckhbw   ymm2,ymm9,ymm10
    vpunpcklbw   ymm1,ymm0,ymm11
    vpunpckhbw   ymm0,ymm0,ymm11
    lea          r14,[r8+rax*8]
    cmp          r11,0x200000
    jb           .1
    mov          ebp,r14d
    and          ebp,0x18
    jne          .1
    lea          r10,[r8+rax*8]
    add          r10,0x20
    lea          r12,[r8+rax*8+0x40]
    lea          r13,[r8+rax*8+0x60]
    lea          rbp,[r8+rax*8+0x80]
    vmovntdq     YMMWORD PTR [r14],ymm7
    vmovntdq     YMMWORD PTR [r10],ymm6
    vmovntdq     YMMWORD PTR [r12],ymm5
    vmovntdq     YMMWORD PTR [r13+0x0],ymm4
    vmovntdq     YMMWORD PTR [rbp+0x0],ymm3
    lea          r10,[r8+rax*8+0xa0]
    vmovntdq     YMMWORD PTR [r10],ymm2
    lea          r10,[r8+rax*8+0xc0]
    vmovntdq     YMMWORD PTR [r10],ymm1
    lea          r10,[r8+rax*8]
    add          r10,0xe0
    vmovntdq     YMMWORD PTR [r10],ymm0
    cmp          rax,rbx
    jne          .2
    jmp          .out
    nop          DWORD PTR [rax+0x0]
.1:
    vmovdqu      YMMWORD PTR [r14],ymm7
    vmovdqu      YMMWORD PTR [r14+0x20],ymm6
    vmovdqu      YMMWORD PTR [r14+0x40],ymm5
    vmovdqu      YMMWORD PTR [r14+0x60],ymm4
    vmovdqu      YMMWORD PTR [r14+0x80],ymm3
    vmovdqu      YMMWORD PTR [r14+0xa0],ymm2
    vmovdqu      YMMWORD PTR [r14+0xc0],ymm1
    vmovdqu      YMMWORD PTR [r14+0xe0],ymm0
    cmp          rax,rbx
    je           .out
.2:
    test         rax,rax
    lea          rax,[rax+0x20]
    cmove        rax,r15
    cmp          rax,rbx
    cmovae       rax,rbx
    mov          r10,rsi
    sub          r10,rax
    cmp          r10,0x20
    jae          .0
