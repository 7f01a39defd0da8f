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
    vmovdqu64    zmm0,ZMMWORD PTR [rdx+rax*8]
    vmovdqu64    zmm1,ZMMWORD PTR [rdx+rax*8+0x40]
    vmovdqu64    zmm2,ZMMWORD PTR [rdx+rax*8+0x80]
    vmovdqu64    zmm3,ZMMWORD PTR [rdx+rax*8+0xc0]
    vmovdqu64    zmm4,ZMMWORD PTR [rdx+rax*8+0x140]
    vmovdqu64    zmm16,ZMMWORD PTR [rdx+rax*8+0x180]
    vmovdqu64    zmm17,ZMMWORD PTR [rdx+rax*8+0x1c0]
    vmovdqu64    zmm18,ZMMWORD PTR [rdx+rax*8+0x100]
    vpunpcklbw   zmm19,zmm0,zmm18
    vpunpckhbw   zmm0,zmm0,zmm18
    vpunpcklbw   zmm18,zmm1,zmm4
    vpunpckhbw   zmm1,zmm1,zmm4
    vpunpcklbw   zmm4,zmm2,zmm16
    vpunpckhbw   zmm2,zmm2,zmm16
    vpunpcklbw   zmm16,zmm3,zmm17
    vpunpckhbw   zmm3,zmm3,zmm17
    vpunpcklbw   zmm17,zmm19,zmm4
    vpunpckhbw   zmm4,zmm19,zmm4
    vpunpcklbw   zmm19,zmm18,zmm16
    vpunpckhbw   zmm16,zmm18,zmm16
    vpunpcklbw   zmm18,zmm0,zmm2
    vpunpckhbw   zmm0,zmm0,zmm2
    vpunpcklbw   zmm2,zmm1,zmm3
    vpunpckhbw   zmm1,zmm1,zmm3
    vpunpcklbw   zmm3,zmm17,zmm19
    vpunpckhbw   zmm17,zmm17,zmm19
    vpunpcklbw   zmm19,zmm4,zmm16
    vpunpckhbw   zmm16,zmm4,zmm16
    vpunpcklbw   zmm4,zmm18,zmm2
    vpunpckhbw   zmm2,zmm18,zmm2
    vpunpcklbw   zmm18,zmm0,zmm1
    vpunpckhbw   zmm0,zmm0,zmm1
    vpunpcklbw   zmm6,zmm3,zmm4
    vpunpckhbw   zmm4,zmm3,zmm4
    vpunpcklbw   zmm3,zmm17,zmm2
    vpunpckhbw   zmm2,zmm17,zmm2
    vpunpcklbw   zmm1,zmm19,zmm18
    vpunpckhbw   zmm30,zmm19,zmm18
    vpunpcklbw   zmm28,zmm16,zmm0
    vpunpckhbw   zmm26,zmm16,zmm0
    vmovdqa64    zmm0,ZMMWORD PTR [const0]
    vpermw       zmm0,zmm0,ZMMWORD PTR [r14]
    vpsrlw       zmm16,zmm0,0x3
    vmovdqa64    zmm7,ZMMWORD PTR [const1]
    vpshufb      zmm21,zmm7,zmm0
    vpaddb       zmm22,zmm21,zmm21
    vpternlogd   zmm7,zmm7,zmm7,0xff
    vpaddb       zmm29,zmm21,zmm7
    vpandd       zmm27,zmm29,DWORD BCST [const2]
    vpxor        xmm7,xmm7,xmm7
    vpsubb       zmm31,zmm7,zmm22
    vmovdqa64    zmm5,ZMMWORD PTR [const3]
    vpandq       zmm0,zmm0,zmm5
    vpandq       zmm7,zmm16,zmm5
    vpsubb       zmm16,zmm0,zmm7
    vpaddb       zmm16,zmm16,zmm5
    vmovdqa64    zmm8,ZMMWORD PTR [const4]
    vpshufb      zmm25,zmm8,zmm16
    vmovdqa64    zmm8,ZMMWORD PTR [const5]
    vpshufb      zmm24,zmm8,zmm16
    vmovdqa64    zmm8,ZMMWORD PTR [const6]
    vpshufb      zmm23,zmm8,zmm16
    vpshufb      zmm20,zmm14,zmm16
    vpshufb      zmm19,zmm15,zmm16
    vpshufb      zmm18,zmm11,zmm16
    vmovdqa64    zmm5,ZMMWORD PTR [const7]
    vpshufb      zmm17,zmm5,zmm16
    vmovdqa64    zmm8,ZMMWORD PTR [const8]
    vpshufb      zmm16,zmm8,zmm16
    vpaddb       zmm7,zmm7,zmm0
    vpshufb      zmm0,zmm8,zmm7
    vpandq       zmm8,zmm6,zmm25
    vpternlogq   zmm8,zmm24,zmm4,0xf8
    vpternlogq   zmm8,zmm23,zmm3,0xf8
    vpandq       zmm9,zmm20,zmm2
    vpternlogq   zmm9,zmm19,zmm1,0xf8
    vpternlogq   zmm9,zmm18,zmm30,0xf8
    vpandq       zmm10,zmm17,zmm28
    vpternlogq   zmm10,zmm16,zmm26,0xf8
    vpternlogq   zmm10,zmm8,zmm9,0xfe
    vpandd       zmm8,zmm10,zmm31
    vpandd       zmm9,zmm10,zmm29
    vpshufb      zmm9,zmm12,zmm9
    vpandd       zmm10,zmm27,zmm10
    vpsrlw       zmm10,zmm10,0x4
    vpshufb      zmm10,zmm13,zmm10
    vpmaxub      zmm9,zmm9,zmm10
    vpsubb       zmm9,zmm21,zmm9
    vpsubb       zmm10,zmm8,zmm22
    vpternlogq   zmm10,zmm8,zmm9,0xbe
    vpshufb      zmm8,zmm5,zmm7
    vpshufb      zmm9,zmm11,zmm7
    vpandq       zmm6,zmm0,zmm6
    vpternlogq   zmm6,zmm8,zmm4,0xf8
    vpshufb      zmm4,zmm15,zmm7
    vpternlogq   zmm6,zmm9,zmm3,0xf8
    vpshufb      zmm3,zmm14,zmm7
    vpandq       zmm2,zmm4,zmm2
    vpternlogq   zmm2,zmm3,zmm1,0xf8
    vmovdqa64    zmm1,ZMMWORD PTR [const6]
    vpshufb      zmm1,zmm1,zmm7
    vpternlogq   zmm2,zmm1,zmm30,0xf8
    vmovdqa64    zmm5,ZMMWORD PTR [const5]
    vpshufb      zmm30,zmm5,zmm7
    vmovdqa64    zmm5,ZMMWORD PTR [const4]
    vpshufb      zmm7,zmm5,zmm7
    vpandq       zmm28,zmm30,zmm28
    vpternlogq   zmm28,zmm7,zmm26,0xf8
    vpternlogq   zmm28,zmm6,zmm2,0xfe
    vpandd       zmm2,zmm28,zmm31
    vpandd       zmm6,zmm28,zmm29
    vpandd       zmm26,zmm27,zmm28
    vpshufb      zmm6,zmm12,zmm6
    vpsrlw       zmm26,zmm26,0x4
    vpshufb      zmm26,zmm13,zmm26
    vpmaxub      zmm6,zmm6,zmm26
    vpsubb       zmm6,zmm21,zmm6
    vpsubb       zmm21,zmm2,zmm22
    vpternlogq   zmm21,zmm2,zmm6,0xbe
    vpandd       zmm2,zmm10,zmm25
    vpternlogq   zmm2,zmm0,zmm21,0xf8
    vpandd       zmm0,zmm10,zmm24
    vpternlogq   zmm0,zmm8,zmm21,0xf8
    vpandd       zmm6,zmm10,zmm23
    vpternlogq   zmm6,zmm9,zmm21,0xf8
    vpandd       zmm8,zmm10,zmm20
    vpternlogq   zmm8,zmm4,zmm21,0xf8
    vpandd       zmm4,zmm10,zmm19
    vpternlogq   zmm4,zmm3,zmm21,0xf8
    vpandd       zmm3,zmm10,zmm18
    vpternlogq   zmm3,zmm1,zmm21,0xf8
    vpandd       zmm1,zmm10,zmm17
    vpternlogq   zmm1,zmm30,zmm21,0xf8
    vpandd       zmm9,zmm10,zmm16
    vpternlogq   zmm9,zmm7,zmm21,0xf8
    vpunpcklbw   zmm7,zmm2,zmm4
    vpunpckhbw   zmm2,zmm2,zmm4
    vpunpcklbw   zmm4,zmm0,zmm3
    vpunpckhbw   zmm0,zmm0,zmm3
    vpunpcklbw   zmm3,zmm6,zmm1
    vpunpckhbw   zmm1,zmm6,zmm1
    vpunpcklbw   zmm6,zmm8,zmm9
    vpunpckhbw   zmm8,zmm8,zmm9
    vpunpcklbw   zmm9,zmm7,zmm3
    vpunpckhbw   zmm3,zmm7,zmm3
    vpunpcklbw   zmm7,zmm4,zmm6
    vpunpckhbw   zmm4,zmm4,zmm6
    vpunpcklbw   zmm6,zmm2,zmm1
    vpunpckhbw   zmm10,zmm2,zmm1
    vpunpcklbw   zmm1,zmm0,zmm8
    vpunpckhbw   zmm0,zmm0,zmm8
    vpunpcklbw   zmm18,zmm9,zmm7
    vpunpckhbw   zmm17,zmm9,zmm7
    vpunpcklbw   zmm16,zmm3,zmm4
    vpunpckhbw   zmm4,zmm3,zmm4
    vpunpcklbw   zmm3,zmm6,zmm1
    vpunpckhbw   zmm2,zmm6,zmm1
    vpunpcklbw   zmm1,zmm10,zmm0
    vpunpckhbw   zmm0,zmm10,zmm0
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
    vmovntdq     ZMMWORD PTR [r15],zmm18
    lea          r14,[r15+0x40]
    vmovntdq     ZMMWORD PTR [r14],zmm17
    lea          r14,[r15+0x80]
    vmovntdq     ZMMWORD PTR [r14],zmm16
    lea          r14,[r15+0xc0]
    vmovntdq     ZMMWORD PTR [r14],zmm4
    lea          r14,[r15+0x100]
    vmovntdq     ZMMWORD PTR [r14],zmm3
    lea          r14,[r15+0x140]
    vmovntdq     ZMMWORD PTR [r14],zmm2
    lea          r14,[r15+0x180]
    vmovntdq     ZMMWORD PTR [r14],zmm1
    add          r15,0x1c0
    vmovntdq     ZMMWORD PTR [r15],zmm0
    cmp          rax,rbx
    jne          .2
    jmp          .out
    nop          WORD PTR [rax+rax*1+0x0]
.1:
    vmovdqu64    ZMMWORD PTR [r15],zmm18
    vmovdqu64    ZMMWORD PTR [r15+0x40],zmm17
    vmovdqu64    ZMMWORD PTR [r15+0x80],zmm16
    vmovdqu64    ZMMWORD PTR [r15+0xc0],zmm4
    vmovdqu64    ZMMWORD PTR [r15+0x100],zmm3
    vmovdqu64    ZMMWORD PTR [r15+0x140],zmm2
    vmovdqu64    ZMMWORD PTR [r15+0x180],zmm1
    vmovdqu64    ZMMWORD PTR [r15+0x1c0],zmm0
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
