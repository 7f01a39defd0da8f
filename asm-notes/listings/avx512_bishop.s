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
    vpunpckhbw   zmm27,zmm19,zmm21
    vpunpckhbw   zmm18,zmm23,zmm18
    vpunpcklbw   zmm19,zmm16,zmm17
    vpunpckhbw   zmm16,zmm16,zmm17
    vpunpcklbw   zmm26,zmm20,zmm16
    vpunpcklbw   zmm28,zmm22,zmm18
    vpunpckhbw   zmm29,zmm22,zmm18
    vpunpcklbw   zmm30,zmm24,zmm19
    vpunpckhbw   zmm31,zmm24,zmm19
    vmovdqa64    zmm0,ZMMWORD PTR [const0]
    vpermw       zmm16,zmm0,ZMMWORD PTR [r14]
    vpsrlw       zmm17,zmm16,0x3
    vmovdqa64    zmm0,ZMMWORD PTR [const1]
    vpshufb      zmm23,zmm0,zmm16
    vpaddb       zmm24,zmm23,zmm23
    vpternlogd   zmm0,zmm0,zmm0,0xff
    vpaddb       zmm0,zmm23,zmm0
    vpandd       zmm1,zmm0,DWORD BCST [const2]
    vpxor        xmm2,xmm2,xmm2
    vpsubb       zmm2,zmm2,zmm24
    vpandq       zmm3,zmm16,zmm5
    vpandq       zmm17,zmm17,zmm5
    vpsubb       zmm16,zmm3,zmm17
    vpaddb       zmm16,zmm16,zmm5
    vpshufb      zmm25,zmm8,zmm16
    vpshufb      zmm22,zmm9,zmm16
    vpshufb      zmm21,zmm10,zmm16
    vpshufb      zmm20,zmm11,zmm16
    vpshufb      zmm19,zmm12,zmm16
    vmovdqa64    zmm4,ZMMWORD PTR [const3]
    vpshufb      zmm18,zmm4,zmm16
    vpaddb       zmm17,zmm17,zmm3
    vpshufb      zmm3,zmm4,zmm17
    vpandq       zmm4,zmm25,zmm27
    vpternlogq   zmm4,zmm22,zmm28,0xf8
    vpternlogq   zmm4,zmm21,zmm29,0xf8
    vpandq       zmm6,zmm20,zmm30
    vpternlogq   zmm6,zmm19,zmm31,0xf8
    vpternlogq   zmm6,zmm18,zmm26,0xf8
    vporq        zmm4,zmm6,zmm4
    vpandd       zmm6,zmm4,zmm2
    vpandd       zmm7,zmm4,zmm0
    vpshufb      zmm7,zmm14,zmm7
    vpandd       zmm4,zmm1,zmm4
    vpsrlw       zmm4,zmm4,0x4
    vpshufb      zmm4,zmm15,zmm4
    vpmaxub      zmm4,zmm7,zmm4
    vpsubb       zmm4,zmm23,zmm4
    vpsubb       zmm7,zmm6,zmm24
    vpternlogq   zmm7,zmm6,zmm4,0xbe
    vpshufb      zmm4,zmm12,zmm17
    vpshufb      zmm6,zmm11,zmm17
    vpandq       zmm27,zmm3,zmm27
    vpternlogq   zmm27,zmm4,zmm28,0xf8
    vpshufb      zmm28,zmm10,zmm17
    vpternlogq   zmm27,zmm6,zmm29,0xf8
    vpshufb      zmm29,zmm9,zmm17
    vpandq       zmm30,zmm28,zmm30
    vpternlogq   zmm30,zmm29,zmm31,0xf8
    vpshufb      zmm31,zmm8,zmm17
    vpternlogq   zmm30,zmm31,zmm26,0xf8
    vporq        zmm26,zmm30,zmm27
    vpandd       zmm2,zmm26,zmm2
    vpandd       zmm0,zmm26,zmm0
    vpandd       zmm1,zmm1,zmm26
    vpshufb      zmm0,zmm14,zmm0
    vpsrlw       zmm1,zmm1,0x4
    vpshufb      zmm1,zmm15,zmm1
    vpmaxub      zmm0,zmm0,zmm1
    vpsubb       zmm0,zmm23,zmm0
    vpsubb       zmm1,zmm2,zmm24
    vpternlogq   zmm1,zmm2,zmm0,0xbe
    vmovdqa64    zmm23,ZMMWORD PTR [const4]
    vpshufb      zmm0,zmm23,zmm16
    vpshufb      zmm2,zmm13,zmm17
    vpandd       zmm0,zmm7,zmm0
    vpternlogq   zmm0,zmm2,zmm1,0xf8
    vpandd       zmm2,zmm7,zmm25
    vpternlogq   zmm2,zmm3,zmm1,0xf8
    vpandd       zmm3,zmm7,zmm22
    vpternlogq   zmm3,zmm4,zmm1,0xf8
    vpandd       zmm4,zmm7,zmm21
    vpternlogq   zmm4,zmm6,zmm1,0xf8
    vpandd       zmm6,zmm7,zmm20
    vpternlogq   zmm6,zmm28,zmm1,0xf8
    vpandd       zmm19,zmm7,zmm19
    vpternlogq   zmm19,zmm29,zmm1,0xf8
    vpandd       zmm18,zmm7,zmm18
    vpternlogq   zmm18,zmm31,zmm1,0xf8
    vpshufb      zmm16,zmm13,zmm16
    vpandd       zmm7,zmm7,zmm16
    vpshufb      zmm16,zmm23,zmm17
    vpternlogq   zmm7,zmm16,zmm1,0xf8
    vpunpcklbw   zmm1,zmm0,zmm6
    vpunpckhbw   zmm0,zmm0,zmm6
    vpunpcklbw   zmm6,zmm2,zmm19
    vpunpckhbw   zmm2,zmm2,zmm19
    vpunpcklbw   zmm16,zmm3,zmm18
    vpunpckhbw   zmm3,zmm3,zmm18
    vpunpcklbw   zmm17,zmm4,zmm7
    vpunpckhbw   zmm4,zmm4,zmm7
    vpunpcklbw   zmm7,zmm1,zmm16
    vpunpckhbw   zmm1,zmm1,zmm16
    vpunpcklbw   zmm16,zmm6,zmm17
    vpunpckhbw   zmm6,zmm6,zmm17
    vpunpcklbw   zmm17,zmm0,zmm3
    vpunpckhbw   zmm0,zmm0,zmm3
    vpunpcklbw   zmm3,zmm2,zmm4
    vpunpckhbw   zmm2,zmm2,zmm4
    vpunpcklbw   zmm23,zmm7,zmm16
    vpunpckhbw   zmm22,zmm7,zmm16
    vpunpcklbw   zmm21,zmm1,zmm6
    vpunpckhbw   zmm20,zmm1,zmm6
    vpunpcklbw   zmm19,zmm17,zmm3
    vpunpckhbw   zmm18,zmm17,zmm3
    vpunpcklbw   zmm17,zmm0,zmm2
    vpunpckhbw   zmm16,zmm0,zmm2
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
    nop          DWORD PTR [rax+0x0]
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
