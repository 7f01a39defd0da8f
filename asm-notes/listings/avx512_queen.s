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
    vmovdqu64    zmm2,ZMMWORD PTR [rbp+rdi*8+0x80]
    vmovdqu64    zmm3,ZMMWORD PTR [rbp+rdi*8+0xc0]
    vmovdqu64    zmm4,ZMMWORD PTR [rbp+rdi*8+0x140]
    vmovdqu64    zmm5,ZMMWORD PTR [rbp+rdi*8+0x180]
    vmovdqu64    zmm6,ZMMWORD PTR [rbp+rdi*8+0x1c0]
    vmovdqu64    zmm7,ZMMWORD PTR [rbp+rdi*8+0x100]
    vpunpcklbw   zmm8,zmm0,zmm7
    vpunpckhbw   zmm0,zmm0,zmm7
    vpunpcklbw   zmm7,zmm1,zmm4
    vpunpckhbw   zmm1,zmm1,zmm4
    vpunpcklbw   zmm4,zmm2,zmm5
    vpunpckhbw   zmm2,zmm2,zmm5
    vpunpcklbw   zmm5,zmm3,zmm6
    vpunpckhbw   zmm3,zmm3,zmm6
    vpunpcklbw   zmm6,zmm8,zmm4
    vpunpckhbw   zmm4,zmm8,zmm4
    vpunpcklbw   zmm8,zmm7,zmm5
    vpunpckhbw   zmm5,zmm7,zmm5
    vpunpcklbw   zmm7,zmm0,zmm2
    vpunpckhbw   zmm0,zmm0,zmm2
    vpunpcklbw   zmm2,zmm1,zmm3
    vpunpckhbw   zmm1,zmm1,zmm3
    vpunpcklbw   zmm9,zmm6,zmm8
    vmovdqu64    ZMMWORD PTR [rsp+0x370],zmm9
    vpunpckhbw   zmm3,zmm6,zmm8
    vpunpcklbw   zmm6,zmm4,zmm5
    vpunpckhbw   zmm5,zmm4,zmm5
    vmovdqu64    ZMMWORD PTR [rsp+0x430],zmm5
    vpunpcklbw   zmm8,zmm7,zmm2
    vmovdqu64    ZMMWORD PTR [rsp+0x3b0],zmm8
    vpunpckhbw   zmm2,zmm7,zmm2
    vpunpcklbw   zmm4,zmm0,zmm1
    vpunpckhbw   zmm0,zmm0,zmm1
    vmovdqu64    ZMMWORD PTR [rsp+0x3f0],zmm0
    vpunpckhbw   zmm27,zmm9,zmm8
    vpunpcklbw   zmm26,zmm3,zmm2
    vpunpckhbw   zmm25,zmm3,zmm2
    vpunpcklbw   zmm23,zmm6,zmm4
    vpunpckhbw   zmm22,zmm6,zmm4
    vpunpcklbw   zmm24,zmm5,zmm0
    vmovdqa64    zmm0,ZMMWORD PTR [const0]
    vpermw       zmm0,zmm0,ZMMWORD PTR [r9]
    vmovdqa64    zmm1,ZMMWORD PTR [const1]
    vpshufb      zmm17,zmm1,zmm0
    vmovdqa64    zmm1,ZMMWORD PTR [const2]
    vpandq       zmm0,zmm0,zmm1
    vptestnmb    k1,zmm0,zmm0
    kmovq        QWORD PTR [rsp+0x8],k1
    vpcmpeqb     k6,zmm0,ZMMWORD PTR [const3]
    kmovq        QWORD PTR [rsp+0x10],k6
    vpcmpeqb     k5,zmm0,ZMMWORD PTR [const4]
    vpcmpeqb     k7,zmm0,ZMMWORD PTR [const5]
    vpcmpeqb     k2,zmm0,ZMMWORD PTR [const6]
    kmovq        QWORD PTR [rsp],k2
    vpcmpeqb     k4,zmm0,ZMMWORD PTR [const7]
    kmovq        QWORD PTR [rsp+0x18],k4
    vpcmpeqb     k3,zmm0,ZMMWORD PTR [const8]
    kmovq        QWORD PTR [rsp+0x20],k3
    vpcmpeqb     k2,zmm0,zmm1
    kmovq        QWORD PTR [rsp+0x28],k2
    vmovdqu8     zmm5{k1}{z},zmm17
    vmovdqu8     zmm29{k6}{z},zmm17
    vmovdqu8     zmm14{k5}{z},zmm17
    kmovq        k6,k5
    vmovdqu8     zmm11{k4}{z},zmm17
    vmovdqu8     zmm7{k3}{z},zmm17
    vmovdqu8     zmm31{k2}{z},zmm17
    vpavgb       zmm4,zmm5,zmm13
    vmovdqu64    ZMMWORD PTR [rsp+0x2f0],zmm4
    vpaddb       zmm0,zmm5,zmm5
    vporq        zmm16,zmm5,zmm0
    vpavgb       zmm6,zmm31,zmm13
    vmovdqu64    ZMMWORD PTR [rsp+0x270],zmm6
    vpaddb       zmm1,zmm31,zmm31
    vporq        zmm15,zmm31,zmm1
    vmovdqa64    zmm8,ZMMWORD PTR [const9]
    vpandnq      zmm3,zmm27,zmm8
    vmovdqu64    ZMMWORD PTR [rsp+0x330],zmm3
    vmovdqa64    zmm2,zmm29
    vpternlogq   zmm2,zmm3,zmm4,0xf8
    vpavgb       zmm3,zmm2,zmm13
    vmovdqu64    ZMMWORD PTR [rsp+0x2b0],zmm3
    vpternlogq   zmm0,zmm27,zmm29,0xba
    vpaddb       zmm0,zmm0,zmm0
    vpternlogq   zmm5,zmm27,zmm29,0xba
    vporq        zmm19,zmm5,zmm0
    vpandnq      zmm18,zmm24,zmm8
    vmovdqa64    zmm2,zmm7
    vpternlogq   zmm2,zmm18,zmm6,0xf8
    vpavgb       zmm20,zmm2,zmm13
    vpternlogq   zmm1,zmm24,zmm7,0xba
    vpaddb       zmm2,zmm1,zmm1
    vpternlogq   zmm31,zmm24,zmm7,0xba
    vpandnq      zmm21,zmm26,zmm8
    vmovdqa64    zmm1,zmm14
    vpternlogq   zmm1,zmm21,zmm3,0xf8
    vpavgb       zmm6,zmm1,zmm13
    vmovdqu64    ZMMWORD PTR [rsp+0x230],zmm6
    vpternlogq   zmm0,zmm26,zmm14,0xba
    vpaddb       zmm0,zmm0,zmm0
    vpternlogq   zmm5,zmm26,zmm14,0xba
    vpandnq      zmm4,zmm22,zmm8
    vmovdqa64    zmm3,zmm11
    vpternlogq   zmm3,zmm4,zmm20,0xf8
    vpxor        xmm1,xmm1,xmm1
    vpavgb       zmm13,zmm3,zmm1
    vporq        zmm28,zmm31,zmm2
    vpternlogq   zmm2,zmm22,zmm11,0xba
    vpaddb       zmm10,zmm2,zmm2
    vpternlogq   zmm31,zmm22,zmm11,0xba
    kmovq        k1,k7
    vmovdqu8     zmm9{k7}{z},zmm17
    vpandnq      zmm12,zmm25,zmm8
    vmovdqa64    zmm3,zmm9
    vpternlogq   zmm3,zmm12,zmm6,0xf8
    vpavgb       zmm3,zmm3,zmm1
    vporq        zmm30,zmm5,zmm0
    vpternlogq   zmm0,zmm25,zmm9,0xba
    vpaddb       zmm1,zmm0,zmm0
    vpternlogq   zmm5,zmm25,zmm9,0xba
    vporq        zmm6,zmm31,zmm10
    vpternlogq   zmm6,zmm5,zmm13,0xfe
    vpternlogq   zmm6,zmm3,zmm1,0xfe
    kmovq        k2,QWORD PTR [rsp]
    vmovdqu8     zmm2{k2}{z},zmm17
    vpandnq      zmm0,zmm23,zmm8
    vpternlogq   zmm13,zmm0,zmm2,0xea
    vpternlogq   zmm0,zmm2,zmm3,0xec
    vpternlogq   zmm5,zmm23,zmm2,0xba
    vpternlogq   zmm28,zmm5,zmm20,0xfe
    vpxor        xmm3,xmm3,xmm3
    vpavgb       zmm0,zmm0,zmm3
    vpternlogq   zmm1,zmm23,zmm2,0xba
    vpaddb       zmm1,zmm1,zmm1
    vpternlogq   zmm28,zmm0,zmm1,0xfe
    vpternlogq   zmm4,zmm11,zmm0,0xec
    vpternlogq   zmm1,zmm22,zmm11,0xba
    vpternlogq   zmm5,zmm22,zmm11,0xba
    vpternlogq   zmm15,zmm5,ZMMWORD PTR [rsp+0x270],0xfe
    vpxor        xmm0,xmm0,xmm0
    vpavgb       zmm0,zmm4,zmm0
    vpaddb       zmm1,zmm1,zmm1
    vpternlogq   zmm15,zmm0,zmm1,0xfe
    vpternlogq   zmm18,zmm7,zmm0,0xec
    vpternlogq   zmm1,zmm24,zmm7,0xba
    vpaddb       zmm11,zmm1,zmm1
    vpternlogq   zmm11,zmm24,zmm5,0xf2
    vpxor        xmm0,xmm0,xmm0
    vpavgb       zmm0,zmm18,zmm0
    vpternlogq   zmm11,zmm7,zmm0,0xfe
    vpternlogq   zmm10,zmm23,zmm2,0xba
    vpternlogq   zmm31,zmm23,zmm2,0xba
    vpternlogq   zmm30,zmm31,ZMMWORD PTR [rsp+0x230],0xfe
    vpxor        xmm0,xmm0,xmm0
    vpavgb       zmm0,zmm13,zmm0
    vpxor        xmm13,xmm13,xmm13
    vpaddb       zmm1,zmm10,zmm10
    vpternlogq   zmm30,zmm0,zmm1,0xfe
    vpternlogq   zmm12,zmm9,zmm0,0xec
    vpternlogq   zmm1,zmm25,zmm9,0xba
    vpternlogq   zmm31,zmm25,zmm9,0xba
    vpternlogq   zmm19,zmm31,ZMMWORD PTR [rsp+0x2b0],0xfe
    vpavgb       zmm0,zmm12,zmm13
    vpaddb       zmm1,zmm1,zmm1
    vpternlogq   zmm19,zmm0,zmm1,0xfe
    vpternlogq   zmm21,zmm14,zmm0,0xec
    vpternlogq   zmm1,zmm26,zmm14,0xba
    vpternlogq   zmm31,zmm26,zmm14,0xba
    vpternlogq   zmm16,zmm31,ZMMWORD PTR [rsp+0x2f0],0xfe
    vpavgb       zmm0,zmm21,zmm13
    vpaddb       zmm1,zmm1,zmm1
    vpternlogq   zmm16,zmm0,zmm1,0xfe
    vmovdqu64    zmm2,ZMMWORD PTR [rsp+0x330]
    vpternlogq   zmm2,zmm29,zmm0,0xec
    vpternlogq   zmm1,zmm27,zmm29,0xba
    vpaddb       zmm0,zmm1,zmm1
    vpternlogq   zmm0,zmm27,zmm31,0xf2
    vpavgb       zmm1,zmm2,zmm13
    vpternlogq   zmm0,zmm29,zmm1,0xfe
    kmovq        k5,QWORD PTR [rsp+0x8]
    vmovdqu64    zmm1,ZMMWORD PTR [rsp+0x370]
    vpunpcklbw   zmm1{k5}{z},zmm1,ZMMWORD PTR [rsp+0x3b0]
    kmovq        k4,QWORD PTR [rsp+0x10]
    vmovdqu8     zmm1{k4},zmm27
    kmovq        k7,k6
    vmovdqu8     zmm1{k6},zmm26
    vmovdqu8     zmm1{k1},zmm25
    kmovq        k6,k1
    vmovdqu8     zmm1{k2},zmm23
    kmovq        k3,QWORD PTR [rsp+0x18]
    vmovdqu8     zmm1{k3},zmm22
    kmovq        k2,QWORD PTR [rsp+0x20]
    vmovdqu8     zmm1{k2},zmm24
    kmovq        k1,QWORD PTR [rsp+0x28]
    vmovdqu64    zmm2,ZMMWORD PTR [rsp+0x430]
    vpunpckhbw   zmm1{k1},zmm2,ZMMWORD PTR [rsp+0x3f0]
    vpaddb       zmm2,zmm17,zmm17
    vpternlogd   zmm3,zmm3,zmm3,0xff
    vpaddb       zmm3,zmm17,zmm3
    vpsubb       zmm4,zmm13,zmm2
    vpandq       zmm4,zmm1,zmm4
    vpandq       zmm1,zmm1,zmm3
    vmovdqa64    zmm3,ZMMWORD PTR [const10]
    vpshufb      zmm3,zmm3,zmm1
    vpsrlw       zmm1,zmm1,0x4
    vpandd       zmm1,zmm1,DWORD BCST [const11]
    vmovdqa64    zmm5,ZMMWORD PTR [const12]
    vpshufb      zmm1,zmm5,zmm1
    vpmaxub      zmm1,zmm3,zmm1
    vpsubb       zmm1,zmm17,zmm1
    vpsubb       zmm2,zmm4,zmm2
    vpternlogq   zmm1,zmm2,zmm4,0xf6
    vmovdqu8     zmm16{k4},zmm1
    vmovdqu8     zmm19{k7},zmm1
    vmovdqu8     zmm30{k6},zmm1
    vmovdqu8     zmm28{k3},zmm1
    vmovdqu8     zmm15{k2},zmm1
    vmovdqu8     zmm11{k1},zmm1
    kmovq        k1,QWORD PTR [rsp]
    vmovdqu8     zmm6{k1},zmm1
    vmovdqu8     zmm0{k5},zmm1
    vpunpcklbw   zmm1,zmm0,zmm6
    vpunpckhbw   zmm0,zmm0,zmm6
    vpunpcklbw   zmm2,zmm16,zmm28
    vpunpckhbw   zmm3,zmm16,zmm28
    vpunpcklbw   zmm4,zmm19,zmm15
    vpunpckhbw   zmm5,zmm19,zmm15
    vpunpcklbw   zmm6,zmm30,zmm11
    vpunpckhbw   zmm7,zmm30,zmm11
    vpunpcklbw   zmm8,zmm1,zmm4
    vpunpckhbw   zmm1,zmm1,zmm4
    vpunpcklbw   zmm4,zmm2,zmm6
    vpunpckhbw   zmm2,zmm2,zmm6
    vpunpcklbw   zmm9,zmm0,zmm5
    vpunpckhbw   zmm0,zmm0,zmm5
    vpunpcklbw   zmm10,zmm3,zmm7
    vpunpckhbw   zmm11,zmm3,zmm7
    vpunpcklbw   zmm7,zmm8,zmm4
    vpunpckhbw   zmm6,zmm8,zmm4
    vpunpcklbw   zmm5,zmm1,zmm2
    vpunpckhbw   zmm4,zmm1,zmm2
    vpunpcklbw   zmm3,zmm9,zmm10
    vpunpckhbw   zmm2,zmm9,zmm10
    vpunpcklbw   zmm1,zmm0,zmm11
    vpunpckhbw   zmm0,zmm0,zmm11
    lea          r9,[rcx+rdi*8]
    cmp          rdx,0x200000
    jb           .1
    mov          r10d,r9d
    and          r10d,0x38
    jne          .1
    vmovntdq     ZMMWORD PTR [r9],zmm7
    lea          r10,[r9+0x40]
    vmovntdq     ZMMWORD PTR [r10],zmm6
    lea          r10,[r9+0x80]
    vmovntdq     ZMMWORD PTR [r10],zmm5
    lea          r10,[r9+0xc0]
    vmovntdq     ZMMWORD PTR [r10],zmm4
    lea          r10,[r9+0x100]
    vmovntdq     ZMMWORD PTR [r10],zmm3
    lea          r10,[r9+0x140]
    vmovntdq     ZMMWORD PTR [r10],zmm2
    lea          r10,[r9+0x180]
    vmovntdq     ZMMWORD PTR [r10],zmm1
    add          r9,0x1c0
    vmovntdq     ZMMWORD PTR [r9],zmm0
    cmp          rdi,r8
    jne          .2
    jmp          .out
    nop
.1:
    vmovdqu64    ZMMWORD PTR [r9],zmm7
    vmovdqu64    ZMMWORD PTR [r9+0x40],zmm6
    vmovdqu64    ZMMWORD PTR [r9+0x80],zmm5
    vmovdqu64    ZMMWORD PTR [r9+0xc0],zmm4
    vmovdqu64    ZMMWORD PTR [r9+0x100],zmm3
    vmovdqu64    ZMMWORD PTR [r9+0x140],zmm2
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
