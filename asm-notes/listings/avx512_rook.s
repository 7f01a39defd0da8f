.0:
    mov          r14,rsi
    sub          r14,rax
    jb           .out
    cmp          r14,0x40
    jb           .out
    mov          r14,rcx
    sub          r14,rax
    jb           .out
    cmp          r14,0x40
    jb           .out
    lea          r14,[rdi+rax*1]
    vmovdqu64    zmm16,ZMMWORD PTR [rdx+rax*8]
    vmovdqu64    zmm17,ZMMWORD PTR [rdx+rax*8+0x40]
    vmovdqu64    zmm18,ZMMWORD PTR [rdx+rax*8+0x80]
    vmovdqu64    zmm19,ZMMWORD PTR [rdx+rax*8+0xc0]
    vmovdqu64    zmm20,ZMMWORD PTR [rdx+rax*8+0x140]
    vmovdqu64    zmm21,ZMMWORD PTR [rdx+rax*8+0x180]
    vmovdqu64    zmm22,ZMMWORD PTR [rdx+rax*8+0x1c0]
    vmovdqu64    zmm23,ZMMWORD PTR [rdx+rax*8+0x100]
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
    vpunpckhbw   zmm22,zmm22,zmm24
    vpunpcklbw   zmm24,zmm20,zmm21
    vpunpckhbw   zmm20,zmm20,zmm21
    vpunpcklbw   zmm21,zmm23,zmm18
    vpunpckhbw   zmm18,zmm23,zmm18
    vpunpcklbw   zmm25,zmm16,zmm17
    vpunpckhbw   zmm16,zmm16,zmm17
    vpunpcklbw   zmm30,zmm19,zmm21
    vpunpckhbw   zmm17,zmm19,zmm21
    vpunpcklbw   zmm23,zmm22,zmm18
    vpunpckhbw   zmm27,zmm22,zmm18
    vpunpcklbw   zmm29,zmm24,zmm25
    vpunpckhbw   zmm28,zmm24,zmm25
    vpunpcklbw   zmm26,zmm20,zmm16
    vpunpckhbw   zmm31,zmm20,zmm16
    vmovdqa64    zmm0,ZMMWORD PTR [const0]
    vpermw       zmm16,zmm0,ZMMWORD PTR [r14]
    vpsrlw       zmm18,zmm16,0x3
    vpandd       zmm0,zmm18,DWORD BCST [const1]
    vmovdqa64    zmm1,ZMMWORD PTR [const2]
    vpshufb      zmm1,zmm1,zmm16
    vpaddb       zmm2,zmm1,zmm1
    vpternlogd   zmm3,zmm3,zmm3,0xff
    vpaddb       zmm3,zmm1,zmm3
    vpxor        xmm4,xmm4,xmm4
    vpsubb       zmm4,zmm4,zmm2
    vmovdqa64    zmm5,ZMMWORD PTR [const3]
    vpshufb      zmm25,zmm5,zmm0
    vmovdqa64    zmm5,ZMMWORD PTR [const4]
    vpshufb      zmm24,zmm5,zmm0
    vmovdqa64    zmm5,ZMMWORD PTR [const5]
    vpshufb      zmm22,zmm5,zmm0
    vmovdqa64    zmm5,ZMMWORD PTR [const6]
    vpshufb      zmm21,zmm5,zmm0
    vmovdqa64    zmm5,ZMMWORD PTR [const7]
    vpshufb      zmm20,zmm5,zmm0
    vmovdqa64    zmm5,ZMMWORD PTR [const8]
    vpshufb      zmm19,zmm5,zmm0
    vmovdqa64    zmm5,ZMMWORD PTR [const9]
    vpshufb      zmm18,zmm5,zmm0
    vmovdqa64    zmm5,ZMMWORD PTR [const10]
    vpshufb      zmm16,zmm5,zmm0
    vpandq       zmm0,zmm30,zmm25
    vpternlogq   zmm0,zmm24,zmm17,0xf8
    vpternlogq   zmm0,zmm22,zmm23,0xf8
    vpandq       zmm30,zmm21,zmm27
    vpternlogq   zmm30,zmm20,zmm29,0xf8
    vpternlogq   zmm30,zmm19,zmm28,0xf8
    vpandq       zmm5,zmm18,zmm26
    vpternlogq   zmm5,zmm16,zmm31,0xf8
    vpternlogq   zmm5,zmm0,zmm30,0xfe
    vpandd       zmm0,zmm5,zmm4
    vpandd       zmm3,zmm5,zmm3
    vpshufb      zmm4,zmm13,zmm3
    vpsrlw       zmm3,zmm3,0x4
    vpandq       zmm3,zmm3,zmm14
    vpshufb      zmm3,zmm15,zmm3
    vpmaxub      zmm3,zmm4,zmm3
    vpsubb       zmm3,zmm1,zmm3
    vpsubb       zmm2,zmm0,zmm2
    vpternlogq   zmm2,zmm0,zmm3,0xbe
    vpandq       zmm0,zmm25,zmm1
    vpandq       zmm3,zmm24,zmm1
    vpandq       zmm4,zmm22,zmm1
    vpandq       zmm11,zmm21,zmm1
    vpandq       zmm12,zmm20,zmm1
    vpandq       zmm10,zmm19,zmm1
    vpandq       zmm6,zmm18,zmm1
    vpandq       zmm1,zmm16,zmm1
    vmovdqa64    zmm7,zmm3
    vpternlogq   zmm7,zmm0,zmm17,0xf4
    vmovdqa64    zmm8,zmm6
    vpternlogq   zmm8,zmm1,zmm26,0xf4
    vmovdqa64    zmm9,zmm4
    vpternlogq   zmm9,zmm7,zmm23,0xf4
    vmovdqa64    zmm31,zmm10
    vpternlogq   zmm31,zmm8,zmm28,0xf4
    vmovdqa64    zmm5,zmm11
    vpternlogq   zmm5,zmm9,zmm27,0xf4
    vmovdqa64    zmm30,zmm12
    vpternlogq   zmm30,zmm31,zmm29,0xf4
    vpternlogq   zmm12,zmm5,zmm29,0xf4
    vpternlogq   zmm11,zmm30,zmm27,0xf4
    vpternlogq   zmm10,zmm12,zmm28,0xf4
    vpternlogq   zmm4,zmm11,zmm23,0xf4
    vpternlogq   zmm6,zmm10,zmm26,0xf4
    vpternlogq   zmm3,zmm4,zmm17,0xf4
    vporq        zmm0,zmm4,zmm0
    vporq        zmm4,zmm11,zmm7
    vporq        zmm7,zmm30,zmm9
    vporq        zmm5,zmm5,zmm31
    vporq        zmm8,zmm12,zmm8
    vporq        zmm1,zmm10,zmm1
    vpternlogq   zmm3,zmm25,zmm2,0xf8
    vpternlogq   zmm0,zmm24,zmm2,0xf8
    vpternlogq   zmm4,zmm22,zmm2,0xf8
    vpternlogq   zmm7,zmm21,zmm2,0xf8
    vpternlogq   zmm5,zmm20,zmm2,0xf8
    vpternlogq   zmm8,zmm19,zmm2,0xf8
    vpternlogq   zmm1,zmm18,zmm2,0xf8
    vpternlogq   zmm6,zmm16,zmm2,0xf8
    vpunpcklbw   zmm2,zmm3,zmm5
    vpunpckhbw   zmm3,zmm3,zmm5
    vpunpcklbw   zmm5,zmm0,zmm8
    vpunpckhbw   zmm0,zmm0,zmm8
    vpunpcklbw   zmm8,zmm4,zmm1
    vpunpckhbw   zmm1,zmm4,zmm1
    vpunpcklbw   zmm4,zmm7,zmm6
    vpunpckhbw   zmm6,zmm7,zmm6
    vpunpcklbw   zmm7,zmm2,zmm8
    vpunpckhbw   zmm2,zmm2,zmm8
    vpunpcklbw   zmm8,zmm5,zmm4
    vpunpckhbw   zmm4,zmm5,zmm4
    vpunpcklbw   zmm5,zmm3,zmm1
    vpunpckhbw   zmm1,zmm3,zmm1
    vpunpcklbw   zmm3,zmm0,zmm6
    vpunpckhbw   zmm0,zmm0,zmm6
    vpunpcklbw   zmm23,zmm7,zmm8
    vpunpckhbw   zmm22,zmm7,zmm8
    vpunpcklbw   zmm21,zmm2,zmm4
    vpunpckhbw   zmm20,zmm2,zmm4
    vpunpcklbw   zmm19,zmm5,zmm3
    vpunpckhbw   zmm18,zmm5,zmm3
    vpunpcklbw   zmm17,zmm1,zmm0
    vpunpckhbw   zmm16,zmm1,zmm0
    lea          r15,[r8+rax*8]
    prefetcht0   BYTE PTR [r14+0x200]
    prefetcht0   BYTE PTR [rdx+rax*8+0x1000]
    prefetcht0   BYTE PTR [rdx+rax*8+0x1040]
    prefetcht0   BYTE PTR [rdx+rax*8+0x1080]
    prefetcht0   BYTE PTR [rdx+rax*8+0x10c0]
    prefetcht0   BYTE PTR [rdx+rax*8+0x1100]
    prefetcht0   BYTE PTR [rdx+rax*8+0x1140]
    prefetcht0   BYTE PTR [rdx+rax*8+0x1180]
    prefetcht0   BYTE PTR [rdx+rax*8+0x11c0]
    cmp          r10,0x200000
    jb           .1
    mov          r14d,r15d
    and          r14d,0x38
    jne          .1
    vmovntdq     ZMMWORD PTR [r15],zmm23
    lea          r14,[r15+0x40]
    vmovntdq     ZMMWORD PTR [r14],zmm22
    lea          r14,[r15+0x80]
    vmovntdq     ZMMWORD PTR [r14],zmm21
    lea          r14,[r15+0xc0]
    vmovntdq     ZMMWORD PTR [r14],zmm20
    lea          r14,[r15+0x100]
    vmovntdq     ZMMWORD PTR [r14],zmm19
    lea          r14,[r15+0x140]
    vmovntdq     ZMMWORD PTR [r14],zmm18
    lea          r14,[r15+0x180]
    vmovntdq     ZMMWORD PTR [r14],zmm17
    add          r15,0x1c0
    vmovntdq     ZMMWORD PTR [r15],zmm16
    cmp          rax,rbx
    jne          .2
    jmp          .out
    xchg         ax,ax
.1:
    vmovdqu64    ZMMWORD PTR [r15],zmm23
    vmovdqu64    ZMMWORD PTR [r15+0x40],zmm22
    vmovdqu64    ZMMWORD PTR [r15+0x80],zmm21
    vmovdqu64    ZMMWORD PTR [r15+0xc0],zmm20
    vmovdqu64    ZMMWORD PTR [r15+0x100],zmm19
    vmovdqu64    ZMMWORD PTR [r15+0x140],zmm18
    vmovdqu64    ZMMWORD PTR [r15+0x180],zmm17
    vmovdqu64    ZMMWORD PTR [r15+0x1c0],zmm16
    cmp          rax,rbx
    je           .out
.2:
    test         rax,rax
    lea          rax,[rax+0x40]
    cmove        rax,r11
    cmp          rax,rbx
    cmovae       rax,rbx
    mov          r14,r9
    sub          r14,rax
    cmp          r14,0x40
    jae          .0
