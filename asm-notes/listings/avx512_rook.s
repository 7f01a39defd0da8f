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
    vmovdqu64    zmm13,ZMMWORD PTR [rbp+rdi*8+0x0]
    vmovdqu64    zmm14,ZMMWORD PTR [rbp+rdi*8+0x40]
    vmovdqu64    zmm15,ZMMWORD PTR [rbp+rdi*8+0x80]
    vmovdqu64    zmm16,ZMMWORD PTR [rbp+rdi*8+0xc0]
    vmovdqu64    zmm17,ZMMWORD PTR [rbp+rdi*8+0x140]
    vmovdqu64    zmm18,ZMMWORD PTR [rbp+rdi*8+0x180]
    vmovdqu64    zmm19,ZMMWORD PTR [rbp+rdi*8+0x1c0]
    vmovdqu64    zmm20,ZMMWORD PTR [rbp+rdi*8+0x100]
    vpunpcklbw   zmm21,zmm13,zmm20
    vpunpckhbw   zmm13,zmm13,zmm20
    vpunpcklbw   zmm20,zmm14,zmm17
    vpunpckhbw   zmm14,zmm14,zmm17
    vpunpcklbw   zmm17,zmm15,zmm18
    vpunpckhbw   zmm15,zmm15,zmm18
    vpunpcklbw   zmm18,zmm16,zmm19
    vpunpckhbw   zmm16,zmm16,zmm19
    vpunpcklbw   zmm19,zmm21,zmm17
    vpunpckhbw   zmm17,zmm21,zmm17
    vpunpcklbw   zmm21,zmm20,zmm18
    vpunpckhbw   zmm18,zmm20,zmm18
    vpunpcklbw   zmm22,zmm13,zmm15
    vpunpckhbw   zmm13,zmm13,zmm15
    vpunpcklbw   zmm15,zmm14,zmm16
    vpunpckhbw   zmm16,zmm14,zmm16
    vpunpcklbw   zmm20,zmm19,zmm21
    vpunpckhbw   zmm19,zmm19,zmm21
    vpunpcklbw   zmm21,zmm17,zmm18
    vpunpckhbw   zmm14,zmm17,zmm18
    vpunpcklbw   zmm24,zmm22,zmm15
    vpunpckhbw   zmm15,zmm22,zmm15
    vpunpcklbw   zmm18,zmm13,zmm16
    vpunpckhbw   zmm17,zmm13,zmm16
    vpunpckhbw   zmm25,zmm20,zmm24
    vpunpcklbw   zmm26,zmm19,zmm15
    vpunpckhbw   zmm27,zmm19,zmm15
    vpunpcklbw   zmm23,zmm21,zmm18
    vpunpckhbw   zmm22,zmm21,zmm18
    vpunpcklbw   zmm21,zmm14,zmm17
    vmovdqa64    zmm0,ZMMWORD PTR [const0]
    vpermw       zmm13,zmm0,ZMMWORD PTR [r9]
    vmovdqa64    zmm0,ZMMWORD PTR [const1]
    vpshufb      zmm15,zmm0,zmm13
    vpandq       zmm13,zmm13,zmm2
    vptestnmb    k4,zmm13,zmm13
    kmovq        QWORD PTR [rsp+0x18],k4
    vpcmpeqb     k3,zmm13,ZMMWORD PTR [const2]
    kmovq        QWORD PTR [rsp+0x20],k3
    vpcmpeqb     k1,zmm13,ZMMWORD PTR [const3]
    kmovq        QWORD PTR [rsp+0x8],k1
    vpcmpeqb     k1,zmm13,ZMMWORD PTR [const4]
    kmovq        QWORD PTR [rsp+0x28],k1
    vpcmpeqb     k5,zmm13,ZMMWORD PTR [const5]
    vpcmpeqb     k6,zmm13,zmm7
    kmovq        QWORD PTR [rsp+0x30],k6
    vpcmpeqb     k7,zmm13,zmm8
    vpcmpeqb     k2,zmm13,zmm2
    kmovq        QWORD PTR [rsp+0x38],k2
    vmovdqu8     zmm28{k4}{z},zmm15
    vmovdqu8     zmm4{k3}{z},zmm15
    kmovq        k4,QWORD PTR [rsp+0x8]
    vmovdqu8     zmm6{k4}{z},zmm15
    vmovdqu8     zmm31{k1}{z},zmm15
    kmovq        k3,k5
    kmovq        QWORD PTR [rsp+0x10],k5
    vmovdqu8     zmm18{k5}{z},zmm15
    vmovdqu8     zmm0{k6}{z},zmm15
    kmovq        k6,k7
    vmovdqu8     zmm5{k7}{z},zmm15
    vmovdqu8     zmm3{k2}{z},zmm15
    vmovdqa64    zmm29,zmm4
    vpternlogq   zmm29,zmm25,zmm28,0xf2
    vmovdqa64    zmm1,zmm5
    vpternlogq   zmm1,zmm21,zmm3,0xf2
    vmovdqa64    zmm30,zmm6
    vpternlogq   zmm30,zmm26,zmm29,0xf2
    vmovdqa64    zmm16,zmm0
    vpternlogq   zmm16,zmm22,zmm1,0xf2
    vmovdqa64    zmm13,zmm31
    vpternlogq   zmm13,zmm27,zmm30,0xf2
    vporq        zmm19,zmm16,zmm13
    vpternlogq   zmm16,zmm23,zmm18,0xba
    vpternlogq   zmm13,zmm23,zmm18,0xba
    vporq        zmm18,zmm16,zmm30
    vpternlogq   zmm16,zmm27,zmm31,0xba
    vporq        zmm1,zmm1,zmm13
    vpternlogq   zmm13,zmm22,zmm0,0xba
    vporq        zmm0,zmm16,zmm29
    vpternlogq   zmm16,zmm26,zmm6,0xba
    vporq        zmm3,zmm13,zmm3
    vpternlogq   zmm13,zmm21,zmm5,0xba
    vporq        zmm5,zmm16,zmm28
    vpternlogq   zmm16,zmm25,zmm4,0xba
    kmovq        k2,QWORD PTR [rsp+0x18]
    vpunpcklbw   zmm4{k2}{z},zmm20,zmm24
    kmovq        k1,QWORD PTR [rsp+0x20]
    vmovdqu8     zmm4{k1},zmm25
    vmovdqu8     zmm4{k4},zmm26
    kmovq        k5,QWORD PTR [rsp+0x28]
    vmovdqu8     zmm4{k5},zmm27
    vmovdqu8     zmm4{k3},zmm23
    kmovq        k7,QWORD PTR [rsp+0x30]
    vmovdqu8     zmm4{k7},zmm22
    vmovdqu8     zmm4{k6},zmm21
    kmovq        k3,k6
    vpxord       zmm20,zmm20,zmm20
    kmovq        k6,QWORD PTR [rsp+0x38]
    vpunpckhbw   zmm4{k6},zmm14,zmm17
    vpaddb       zmm6,zmm15,zmm15
    vpaddb       zmm14,zmm15,zmm9
    vpsubb       zmm17,zmm20,zmm6
    vpandq       zmm17,zmm4,zmm17
    vpandq       zmm4,zmm4,zmm14
    vpshufb      zmm14,zmm10,zmm4
    vpsrlw       zmm4,zmm4,0x4
    vpandq       zmm4,zmm4,zmm11
    vpshufb      zmm4,zmm12,zmm4
    vpmaxub      zmm4,zmm14,zmm4
    vpsubb       zmm4,zmm15,zmm4
    vpsubb       zmm6,zmm17,zmm6
    vpternlogq   zmm4,zmm6,zmm17,0xf6
    vmovdqu8     zmm5{k1},zmm4
    vmovdqu8     zmm0{k4},zmm4
    vmovdqu8     zmm18{k5},zmm4
    vmovdqu8     zmm1{k7},zmm4
    vmovdqu8     zmm3{k3},zmm4
    vmovdqu8     zmm13{k6},zmm4
    kmovq        k1,QWORD PTR [rsp+0x10]
    vmovdqu8     zmm19{k1},zmm4
    vmovdqu8     zmm16{k2},zmm4
    vpunpcklbw   zmm4,zmm16,zmm19
    vpunpckhbw   zmm6,zmm16,zmm19
    vpunpcklbw   zmm14,zmm5,zmm1
    vpunpckhbw   zmm1,zmm5,zmm1
    vpunpcklbw   zmm5,zmm0,zmm3
    vpunpckhbw   zmm0,zmm0,zmm3
    vpunpcklbw   zmm3,zmm18,zmm13
    vpunpckhbw   zmm13,zmm18,zmm13
    vpunpcklbw   zmm15,zmm4,zmm5
    vpunpckhbw   zmm4,zmm4,zmm5
    vpunpcklbw   zmm5,zmm14,zmm3
    vpunpckhbw   zmm3,zmm14,zmm3
    vpunpcklbw   zmm14,zmm6,zmm0
    vpunpckhbw   zmm0,zmm6,zmm0
    vpunpcklbw   zmm6,zmm1,zmm13
    vpunpckhbw   zmm1,zmm1,zmm13
    vpunpcklbw   zmm20,zmm15,zmm5
    vpunpckhbw   zmm19,zmm15,zmm5
    vpunpcklbw   zmm18,zmm4,zmm3
    vpunpckhbw   zmm17,zmm4,zmm3
    vpunpcklbw   zmm16,zmm14,zmm6
    vpunpckhbw   zmm15,zmm14,zmm6
    vpunpcklbw   zmm14,zmm0,zmm1
    vpunpckhbw   zmm13,zmm0,zmm1
    lea          r9,[rcx+rdi*8]
    cmp          rdx,0x200000
    jb           .1
    mov          r10d,r9d
    and          r10d,0x38
    jne          .1
    vmovntdq     ZMMWORD PTR [r9],zmm20
    lea          r10,[r9+0x40]
    vmovntdq     ZMMWORD PTR [r10],zmm19
    lea          r10,[r9+0x80]
    vmovntdq     ZMMWORD PTR [r10],zmm18
    lea          r10,[r9+0xc0]
    vmovntdq     ZMMWORD PTR [r10],zmm17
    lea          r10,[r9+0x100]
    vmovntdq     ZMMWORD PTR [r10],zmm16
    lea          r10,[r9+0x140]
    vmovntdq     ZMMWORD PTR [r10],zmm15
    lea          r10,[r9+0x180]
    vmovntdq     ZMMWORD PTR [r10],zmm14
    add          r9,0x1c0
    vmovntdq     ZMMWORD PTR [r9],zmm13
    cmp          rdi,r8
    jne          .2
    jmp          .out
    nop          WORD PTR [rax+rax*1+0x0]
.1:
    vmovdqu64    ZMMWORD PTR [r9],zmm20
    vmovdqu64    ZMMWORD PTR [r9+0x40],zmm19
    vmovdqu64    ZMMWORD PTR [r9+0x80],zmm18
    vmovdqu64    ZMMWORD PTR [r9+0xc0],zmm17
    vmovdqu64    ZMMWORD PTR [r9+0x100],zmm16
    vmovdqu64    ZMMWORD PTR [r9+0x140],zmm15
    vmovdqu64    ZMMWORD PTR [r9+0x180],zmm14
    vmovdqu64    ZMMWORD PTR [r9+0x1c0],zmm13
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
