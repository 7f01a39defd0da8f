.0:
    mov          r10,r12
    sub          r10,rdi
    jb           .out
    cmp          r10,0x40
    jb           .out
    mov          r10,rdx
    sub          r10,rdi
    jb           .out
    cmp          r10,0x40
    jb           .out
    vmovdqu64    zmm0,ZMMWORD PTR [rbp+rdi*8+0x0]
    vmovdqu64    zmm1,ZMMWORD PTR [rbp+rdi*8+0x40]
    vmovdqu64    zmm3,ZMMWORD PTR [rbp+rdi*8+0x80]
    vmovdqu64    zmm4,ZMMWORD PTR [rbp+rdi*8+0xc0]
    vmovdqu64    zmm10,ZMMWORD PTR [rbp+rdi*8+0x140]
    vmovdqu64    zmm11,ZMMWORD PTR [rbp+rdi*8+0x180]
    vmovdqu64    zmm12,ZMMWORD PTR [rbp+rdi*8+0x1c0]
    vmovdqu64    zmm13,ZMMWORD PTR [rbp+rdi*8+0x100]
    vpunpcklbw   zmm14,zmm0,zmm13
    vpunpckhbw   zmm0,zmm0,zmm13
    vpunpcklbw   zmm13,zmm1,zmm10
    vpunpckhbw   zmm1,zmm1,zmm10
    vpunpcklbw   zmm10,zmm3,zmm11
    vpunpckhbw   zmm3,zmm3,zmm11
    vpunpcklbw   zmm11,zmm4,zmm12
    vpunpckhbw   zmm4,zmm4,zmm12
    vpunpcklbw   zmm12,zmm14,zmm10
    vpunpckhbw   zmm10,zmm14,zmm10
    vpunpcklbw   zmm14,zmm13,zmm11
    vpunpckhbw   zmm11,zmm13,zmm11
    vpunpcklbw   zmm13,zmm0,zmm3
    vpunpckhbw   zmm0,zmm0,zmm3
    vpunpcklbw   zmm3,zmm1,zmm4
    vpunpckhbw   zmm1,zmm1,zmm4
    vpunpcklbw   zmm4,zmm12,zmm14
    vpunpckhbw   zmm12,zmm12,zmm14
    vpunpcklbw   zmm14,zmm10,zmm11
    vpunpckhbw   zmm10,zmm10,zmm11
    vpunpcklbw   zmm11,zmm13,zmm3
    vpunpckhbw   zmm2,zmm4,zmm11
    vpunpckhbw   zmm3,zmm13,zmm3
    vpunpcklbw   zmm4,zmm0,zmm1
    vpunpckhbw   zmm0,zmm0,zmm1
    vpunpcklbw   zmm29,zmm10,zmm0
    vpunpcklbw   zmm24,zmm12,zmm3
    vpunpckhbw   zmm28,zmm12,zmm3
    vpunpcklbw   zmm15,zmm14,zmm4
    vmovdqa64    zmm0,ZMMWORD PTR [const0]
    vpermw       zmm0,zmm0,ZMMWORD PTR [r9]
    vpunpckhbw   zmm25,zmm14,zmm4
    vmovdqa64    zmm1,ZMMWORD PTR [const1]
    vpshufb      zmm10,zmm1,zmm0
    vmovdqa64    zmm1,ZMMWORD PTR [const2]
    vpandq       zmm0,zmm0,zmm1
    vptestnmb    k2,zmm0,zmm0
    vpcmpeqb     k3,zmm0,ZMMWORD PTR [const3]
    vpcmpeqb     k4,zmm0,ZMMWORD PTR [const4]
    vpcmpeqb     k5,zmm0,ZMMWORD PTR [const5]
    vpcmpeqb     k1,zmm0,ZMMWORD PTR [const6]
    kmovq        QWORD PTR [rsp+0x8],k1
    vpcmpeqb     k6,zmm0,ZMMWORD PTR [const7]
    vpcmpeqb     k7,zmm0,ZMMWORD PTR [const8]
    vpcmpeqb     k1,zmm0,zmm1
    vmovdqu8     zmm3{k2}{z},zmm10
    vmovdqu8     zmm17{k3}{z},zmm10
    vmovdqu8     zmm22{k4}{z},zmm10
    vmovdqu8     zmm5{k5}{z},zmm10
    vmovdqu8     zmm26{k6}{z},zmm10
    vmovdqu8     zmm14{k7}{z},zmm10
    vmovdqu8     zmm4{k1}{z},zmm10
    vpavgb       zmm6,zmm3,zmm27
    vmovdqu64    ZMMWORD PTR [rsp+0x250],zmm6
    vpaddb       zmm12,zmm3,zmm3
    vpavgb       zmm7,zmm4,zmm27
    vmovdqu64    ZMMWORD PTR [rsp+0x210],zmm7
    vpaddb       zmm13,zmm4,zmm4
    vmovdqa64    zmm1,ZMMWORD PTR [const9]
    vmovdqu64    ZMMWORD PTR [rsp+0x290],zmm2
    vpandnq      zmm23,zmm2,zmm1
    vmovdqa64    zmm3,zmm17
    vpternlogq   zmm3,zmm23,zmm6,0xf8
    vpxor        xmm11,xmm11,xmm11
    vpavgb       zmm20,zmm3,zmm11
    vmovdqa64    zmm4,zmm17
    vpternlogq   zmm4,zmm2,zmm12,0xf2
    vpaddb       zmm16,zmm4,zmm4
    vpandnq      zmm19,zmm29,zmm1
    vmovdqa64    zmm4,zmm14
    vpternlogq   zmm4,zmm19,zmm7,0xf8
    vpavgb       zmm3,zmm4,zmm11
    vmovdqa64    zmm4,zmm14
    vpternlogq   zmm4,zmm29,zmm13,0xf2
    vpaddb       zmm18,zmm4,zmm4
    vpandnq      zmm31,zmm24,zmm1
    vmovdqa64    zmm4,zmm22
    vpternlogq   zmm4,zmm31,zmm20,0xf8
    vpavgb       zmm6,zmm4,zmm11
    vmovdqa64    zmm4,zmm22
    vpternlogq   zmm4,zmm24,zmm16,0xf2
    vpaddb       zmm21,zmm4,zmm4
    vpandnq      zmm4,zmm25,zmm1
    vmovdqa64    zmm27,zmm26
    vpternlogq   zmm27,zmm4,zmm3,0xf8
    vpavgb       zmm7,zmm27,zmm11
    vmovdqa64    zmm27,zmm26
    vpternlogq   zmm27,zmm25,zmm18,0xf2
    vpaddb       zmm8,zmm27,zmm27
    vpandnq      zmm2,zmm28,zmm1
    vmovdqa64    zmm27,zmm5
    vpternlogq   zmm27,zmm2,zmm6,0xf8
    vpavgb       zmm30,zmm27,zmm11
    vmovdqa64    zmm27,zmm5
    vpternlogq   zmm27,zmm28,zmm21,0xf2
    vpaddb       zmm27,zmm27,zmm27
    vmovdqa64    zmm9,zmm27
    vpternlogq   zmm9,zmm8,zmm7,0xfe
    kmovq        k1,QWORD PTR [rsp+0x8]
    vmovdqu8     zmm0{k1}{z},zmm10
    vpandnq      zmm1,zmm15,zmm1
    vpternlogq   zmm7,zmm1,zmm0,0xea
    vpternlogq   zmm8,zmm15,zmm0,0xba
    vpternlogq   zmm1,zmm0,zmm30,0xec
    vpternlogq   zmm0,zmm15,zmm27,0xf2
    vpaddb       zmm8,zmm8,zmm8
    vpternlogq   zmm21,zmm8,zmm6,0xfe
    vpavgb       zmm6,zmm7,zmm11
    vpternlogq   zmm2,zmm5,zmm6,0xec
    vpternlogq   zmm5,zmm28,zmm8,0xf2
    vpaddb       zmm0,zmm0,zmm0
    vpternlogq   zmm18,zmm0,zmm3,0xfe
    vpavgb       zmm1,zmm1,zmm11
    vpternlogq   zmm4,zmm26,zmm1,0xec
    vpternlogq   zmm26,zmm25,zmm0,0xf2
    vpaddb       zmm0,zmm5,zmm5
    vpternlogq   zmm16,zmm0,zmm20,0xfe
    vpxord       zmm27,zmm27,zmm27
    vpavgb       zmm2,zmm2,zmm27
    vpternlogq   zmm31,zmm22,zmm2,0xec
    vpternlogq   zmm22,zmm24,zmm0,0xf2
    vpaddb       zmm0,zmm26,zmm26
    vpternlogq   zmm13,zmm0,ZMMWORD PTR [rsp+0x210],0xfe
    vpavgb       zmm3,zmm4,zmm27
    vpternlogq   zmm19,zmm14,zmm3,0xec
    vpternlogq   zmm14,zmm29,zmm0,0xf2
    vpaddb       zmm0,zmm22,zmm22
    vpternlogq   zmm12,zmm0,ZMMWORD PTR [rsp+0x250],0xfe
    vpavgb       zmm4,zmm31,zmm27
    vpternlogq   zmm23,zmm17,zmm4,0xec
    vpternlogq   zmm17,zmm0,ZMMWORD PTR [rsp+0x290],0xf4
    vpavgb       zmm0,zmm23,zmm27
    vpaddb       zmm5,zmm17,zmm17
    vpternlogq   zmm5,zmm10,zmm0,0x32
    vpternlogq   zmm12,zmm10,zmm4,0x32
    vpternlogq   zmm16,zmm10,zmm2,0x32
    vpternlogq   zmm21,zmm10,zmm6,0x32
    vpternlogq   zmm9,zmm10,zmm30,0x32
    vpternlogq   zmm18,zmm10,zmm1,0x32
    vpternlogq   zmm13,zmm10,zmm3,0x32
    vpavgb       zmm0,zmm19,zmm27
    vpaddb       zmm1,zmm14,zmm14
    vpternlogq   zmm1,zmm10,zmm0,0x32
    vpunpcklbw   zmm0,zmm5,zmm9
    vpunpckhbw   zmm2,zmm5,zmm9
    vpunpcklbw   zmm3,zmm12,zmm18
    vpunpckhbw   zmm4,zmm12,zmm18
    vpunpcklbw   zmm5,zmm16,zmm13
    vpunpckhbw   zmm6,zmm16,zmm13
    vpunpcklbw   zmm7,zmm21,zmm1
    vpunpckhbw   zmm1,zmm21,zmm1
    vpunpcklbw   zmm8,zmm0,zmm5
    vpunpckhbw   zmm0,zmm0,zmm5
    vpunpcklbw   zmm5,zmm3,zmm7
    vpunpckhbw   zmm3,zmm3,zmm7
    vpunpcklbw   zmm7,zmm2,zmm6
    vpunpckhbw   zmm2,zmm2,zmm6
    vpunpcklbw   zmm6,zmm4,zmm1
    vpunpckhbw   zmm9,zmm4,zmm1
    vpunpcklbw   zmm13,zmm8,zmm5
    vpunpckhbw   zmm12,zmm8,zmm5
    vpunpcklbw   zmm11,zmm0,zmm3
    vpunpckhbw   zmm10,zmm0,zmm3
    vpunpcklbw   zmm4,zmm7,zmm6
    vpunpckhbw   zmm3,zmm7,zmm6
    vpunpcklbw   zmm1,zmm2,zmm9
    vpunpckhbw   zmm0,zmm2,zmm9
    lea          r9,[rcx+rdi*8]
    cmp          rdx,0x200000
    jb           .1
    mov          r10d,r9d
    and          r10d,0x38
    jne          .1
    vmovntdq     ZMMWORD PTR [r9],zmm13
    lea          r10,[r9+0x40]
    vmovntdq     ZMMWORD PTR [r10],zmm12
    lea          r10,[r9+0x80]
    vmovntdq     ZMMWORD PTR [r10],zmm11
    lea          r10,[r9+0xc0]
    vmovntdq     ZMMWORD PTR [r10],zmm10
    lea          r10,[r9+0x100]
    vmovntdq     ZMMWORD PTR [r10],zmm4
    lea          r10,[r9+0x140]
    vmovntdq     ZMMWORD PTR [r10],zmm3
    lea          r10,[r9+0x180]
    vmovntdq     ZMMWORD PTR [r10],zmm1
    add          r9,0x1c0
    vmovntdq     ZMMWORD PTR [r9],zmm0
    cmp          rdi,r8
    jne          .2
    jmp          .out
    nop          WORD PTR [rax+rax*1+0x0]
.1:
    vmovdqu64    ZMMWORD PTR [r9],zmm13
    vmovdqu64    ZMMWORD PTR [r9+0x40],zmm12
    vmovdqu64    ZMMWORD PTR [r9+0x80],zmm11
    vmovdqu64    ZMMWORD PTR [r9+0xc0],zmm10
    vmovdqu64    ZMMWORD PTR [r9+0x100],zmm4
    vmovdqu64    ZMMWORD PTR [r9+0x140],zmm3
    vmovdqu64    ZMMWORD PTR [r9+0x180],zmm1
    vmovdqu64    ZMMWORD PTR [r9+0x1c0],zmm0
    cmp          rdi,r8
    je           .out
.2:
    test         rdi,rdi
    lea          rdi,[rdi+0x40]
    cmove        rdi,rsi
    cmp          rdi,r8
    cmovae       rdi,r8
    mov          r10,rax
    sub          r10,rdi
    lea          r9,[rdi+r13*1]
    cmp          r10,0x40
    jae          .0
