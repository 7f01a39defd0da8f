.0:
    mov          r15,rcx
    sub          r15,rax
    jb           .out
    cmp          r15,0x40
    jb           .out
    mov          r15,r9
    sub          r15,rax
    jb           .out
    cmp          r15,0x40
    jb           .out
    lea          r15,[rdx+rax*8]
    vmovdqu64    zmm16,ZMMWORD PTR [r15]
    vmovdqu64    zmm17,ZMMWORD PTR [r15+0x40]
    vmovdqu64    zmm18,ZMMWORD PTR [r15+0x80]
    vmovdqu64    zmm19,ZMMWORD PTR [r15+0xc0]
    vmovdqu64    zmm20,ZMMWORD PTR [r15+0x140]
    vmovdqu64    zmm21,ZMMWORD PTR [r15+0x180]
    vmovdqu64    zmm22,ZMMWORD PTR [r15+0x1c0]
    vmovdqu64    zmm23,ZMMWORD PTR [r15+0x100]
    vpunpcklbw   zmm24,zmm16,zmm23
    vpunpckhbw   zmm16,zmm16,zmm23
    vpunpcklbw   zmm23,zmm17,zmm20
    vpunpckhbw   zmm17,zmm17,zmm20
    vpunpcklbw   zmm20,zmm18,zmm21
    vpunpckhbw   zmm18,zmm18,zmm21
    vpunpcklbw   zmm21,zmm19,zmm22
    vpunpckhbw   zmm19,zmm19,zmm22
    vpunpcklbw   zmm22,zmm24,zmm20
    vpunpckhbw   zmm20,zmm24,zmm20
    vpunpcklbw   zmm24,zmm23,zmm21
    vpunpckhbw   zmm21,zmm23,zmm21
    vpunpcklbw   zmm23,zmm16,zmm18
    vpunpckhbw   zmm16,zmm16,zmm18
    vpunpcklbw   zmm18,zmm17,zmm19
    vpunpckhbw   zmm17,zmm17,zmm19
    vpunpcklbw   zmm19,zmm22,zmm24
    vpunpckhbw   zmm25,zmm22,zmm24
    vpunpcklbw   zmm26,zmm20,zmm21
    vpunpckhbw   zmm21,zmm20,zmm21
    vpunpcklbw   zmm20,zmm23,zmm18
    vpunpckhbw   zmm18,zmm23,zmm18
    vpunpcklbw   zmm23,zmm16,zmm17
    vpunpckhbw   zmm27,zmm16,zmm17
    vpunpcklbw   zmm30,zmm19,zmm20
    vpunpckhbw   zmm24,zmm19,zmm20
    vpunpcklbw   zmm22,zmm25,zmm18
    vpunpckhbw   zmm20,zmm25,zmm18
    vpunpcklbw   zmm19,zmm26,zmm23
    vpunpckhbw   zmm17,zmm26,zmm23
    vpunpcklbw   zmm16,zmm21,zmm27
    vpunpckhbw   zmm31,zmm21,zmm27
    vmovdqa64    zmm0,ZMMWORD PTR [const0]
    vpermw       zmm18,zmm0,ZMMWORD PTR [rdi+rax*1]
    vpsrlw       zmm21,zmm18,0x3
    vpandd       zmm21,zmm21,DWORD BCST [const1]
    vmovdqa64    zmm0,ZMMWORD PTR [const2]
    vpshufb      zmm0,zmm0,zmm18
    vpaddb       zmm1,zmm0,zmm0
    vpternlogd   zmm2,zmm2,zmm2,0xff
    vpaddb       zmm2,zmm0,zmm2
    vpxor        xmm3,xmm3,xmm3
    vpsubb       zmm3,zmm3,zmm1
    vmovdqa64    zmm4,ZMMWORD PTR [const3]
    vpshufb      zmm18,zmm4,zmm21
    vmovdqa64    zmm4,ZMMWORD PTR [const4]
    vpshufb      zmm29,zmm4,zmm21
    vmovdqa64    zmm4,ZMMWORD PTR [const5]
    vpshufb      zmm28,zmm4,zmm21
    vmovdqa64    zmm4,ZMMWORD PTR [const6]
    vpshufb      zmm27,zmm4,zmm21
    vmovdqa64    zmm4,ZMMWORD PTR [const7]
    vpshufb      zmm26,zmm4,zmm21
    vmovdqa64    zmm4,ZMMWORD PTR [const8]
    vpshufb      zmm25,zmm4,zmm21
    vmovdqa64    zmm4,ZMMWORD PTR [const9]
    vpshufb      zmm23,zmm4,zmm21
    vmovdqa64    zmm4,ZMMWORD PTR [const10]
    vpshufb      zmm21,zmm4,zmm21
    vpandq       zmm30,zmm30,zmm18
    vpternlogq   zmm30,zmm29,zmm24,0xf8
    vpternlogq   zmm30,zmm28,zmm22,0xf8
    vpandq       zmm4,zmm27,zmm20
    vpternlogq   zmm4,zmm26,zmm19,0xf8
    vpternlogq   zmm4,zmm25,zmm17,0xf8
    vpandq       zmm5,zmm23,zmm16
    vpternlogq   zmm5,zmm21,zmm31,0xf8
    vpternlogq   zmm5,zmm30,zmm4,0xfe
    vpandd       zmm3,zmm5,zmm3
    vpandd       zmm2,zmm5,zmm2
    vpshufb      zmm4,zmm13,zmm2
    vpsrlw       zmm2,zmm2,0x4
    vpandq       zmm2,zmm2,zmm14
    vpshufb      zmm2,zmm15,zmm2
    vpmaxub      zmm2,zmm4,zmm2
    vpsubb       zmm2,zmm0,zmm2
    vpsubb       zmm30,zmm3,zmm1
    vpternlogq   zmm30,zmm3,zmm2,0xbe
    vpandq       zmm1,zmm18,zmm0
    vpandq       zmm2,zmm29,zmm0
    vpandq       zmm3,zmm28,zmm0
    vpandq       zmm11,zmm27,zmm0
    vpandq       zmm12,zmm26,zmm0
    vpandq       zmm31,zmm25,zmm0
    vpandq       zmm6,zmm23,zmm0
    vpandq       zmm0,zmm21,zmm0
    vmovdqa64    zmm7,zmm2
    vpternlogq   zmm7,zmm1,zmm24,0xf4
    vmovdqa64    zmm8,zmm6
    vpternlogq   zmm8,zmm0,zmm16,0xf4
    vmovdqa64    zmm9,zmm3
    vmovdqa64    zmm10,zmm31
    vpternlogq   zmm10,zmm8,zmm17,0xf4
    vmovdqa64    zmm4,zmm11
    vmovdqa64    zmm5,zmm12
    vpternlogq   zmm5,zmm10,zmm19,0xf4
    vpternlogq   zmm11,zmm5,zmm20,0xf4
    vpternlogq   zmm3,zmm11,zmm22,0xf4
    vpternlogq   zmm2,zmm3,zmm24,0xf4
    vpandd       zmm24,zmm30,zmm29
    vpternlogq   zmm3,zmm1,zmm24,0xfe
    vpternlogq   zmm9,zmm7,zmm22,0xf4
    vpandd       zmm1,zmm30,zmm28
    vpternlogq   zmm11,zmm1,zmm7,0xfe
    vpternlogq   zmm4,zmm9,zmm20,0xf4
    vpandd       zmm1,zmm30,zmm27
    vpternlogq   zmm5,zmm1,zmm9,0xfe
    vpternlogq   zmm12,zmm4,zmm19,0xf4
    vpandd       zmm1,zmm30,zmm26
    vpternlogq   zmm4,zmm1,zmm10,0xfe
    vpternlogq   zmm31,zmm12,zmm17,0xf4
    vpandd       zmm1,zmm30,zmm25
    vpternlogq   zmm12,zmm1,zmm8,0xfe
    vpternlogq   zmm6,zmm31,zmm16,0xf4
    vpandd       zmm1,zmm30,zmm23
    vpternlogq   zmm31,zmm1,zmm0,0xfe
    vpternlogq   zmm2,zmm30,zmm18,0xf8
    vpternlogq   zmm6,zmm30,zmm21,0xf8
    vpunpcklbw   zmm0,zmm2,zmm4
    vpunpckhbw   zmm1,zmm2,zmm4
    vpunpcklbw   zmm2,zmm3,zmm12
    vpunpckhbw   zmm3,zmm3,zmm12
    vpunpcklbw   zmm4,zmm11,zmm31
    vpunpckhbw   zmm7,zmm11,zmm31
    vpunpcklbw   zmm8,zmm5,zmm6
    vpunpckhbw   zmm5,zmm5,zmm6
    vpunpcklbw   zmm6,zmm0,zmm4
    vpunpckhbw   zmm0,zmm0,zmm4
    vpunpcklbw   zmm4,zmm2,zmm8
    vpunpckhbw   zmm2,zmm2,zmm8
    vpunpcklbw   zmm8,zmm1,zmm7
    vpunpckhbw   zmm1,zmm1,zmm7
    vpunpcklbw   zmm7,zmm3,zmm5
    vpunpckhbw   zmm3,zmm3,zmm5
    vpunpcklbw   zmm23,zmm6,zmm4
    vpunpckhbw   zmm22,zmm6,zmm4
    vpunpcklbw   zmm21,zmm0,zmm2
    vpunpckhbw   zmm20,zmm0,zmm2
    vpunpcklbw   zmm19,zmm8,zmm7
    vpunpckhbw   zmm18,zmm8,zmm7
    vpunpcklbw   zmm17,zmm1,zmm3
    vpunpckhbw   zmm16,zmm1,zmm3
    lea          r12,[r8+rax*8]
    prefetcht0   BYTE PTR [r14+0x200]
    prefetcht0   BYTE PTR [r15+0x1000]
    prefetcht0   BYTE PTR [r15+0x1040]
    prefetcht0   BYTE PTR [r15+0x1080]
    prefetcht0   BYTE PTR [r15+0x10c0]
    prefetcht0   BYTE PTR [r15+0x1100]
    prefetcht0   BYTE PTR [r15+0x1140]
    prefetcht0   BYTE PTR [r15+0x1180]
    prefetcht0   BYTE PTR [r15+0x11c0]
    cmp          r10,0x200000
    jb           .1
    mov          ebp,r12d
    and          ebp,0x38
    jne          .1
    vmovntdq     ZMMWORD PTR [r12],zmm23
    lea          r14,[r12+0x40]
    vmovntdq     ZMMWORD PTR [r14],zmm22
    lea          r14,[r12+0x80]
    vmovntdq     ZMMWORD PTR [r14],zmm21
    lea          r14,[r12+0xc0]
    vmovntdq     ZMMWORD PTR [r14],zmm20
    lea          r14,[r12+0x100]
    vmovntdq     ZMMWORD PTR [r14],zmm19
    lea          r14,[r12+0x140]
    vmovntdq     ZMMWORD PTR [r14],zmm18
    lea          r14,[r12+0x180]
    vmovntdq     ZMMWORD PTR [r14],zmm17
    add          r12,0x1c0
    vmovntdq     ZMMWORD PTR [r12],zmm16
    cmp          rax,rbx
    jne          .2
    jmp          .out
    nop          WORD PTR [rax+rax*1+0x0]
.1:
    vmovdqu64    ZMMWORD PTR [r12],zmm23
    vmovdqu64    ZMMWORD PTR [r12+0x40],zmm22
    vmovdqu64    ZMMWORD PTR [r12+0x80],zmm21
    vmovdqu64    ZMMWORD PTR [r12+0xc0],zmm20
    vmovdqu64    ZMMWORD PTR [r12+0x100],zmm19
    vmovdqu64    ZMMWORD PTR [r12+0x140],zmm18
    vmovdqu64    ZMMWORD PTR [r12+0x180],zmm17
    vmovdqu64    ZMMWORD PTR [r12+0x1c0],zmm16
    cmp          rax,rbx
    je           .out
.2:
    test         rax,rax
    lea          rax,[rax+0x40]
    cmove        rax,r11
    cmp          rax,rbx
    cmovae       rax,rbx
    mov          r15,rsi
    sub          r15,rax
    lea          r14,[rdi+rax*1]
    cmp          r15,0x40
    jae          .0
