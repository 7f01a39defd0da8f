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
    vmovdqu64    zmm3,ZMMWORD PTR [rdx+rax*8+0x80]
    vmovdqu64    zmm4,ZMMWORD PTR [rdx+rax*8+0xc0]
    vmovdqu64    zmm5,ZMMWORD PTR [rdx+rax*8+0x140]
    vmovdqu64    zmm6,ZMMWORD PTR [rdx+rax*8+0x180]
    vmovdqu64    zmm7,ZMMWORD PTR [rdx+rax*8+0x1c0]
    vmovdqu64    zmm8,ZMMWORD PTR [rdx+rax*8+0x100]
    vpunpcklbw   zmm9,zmm0,zmm8
    vpunpckhbw   zmm0,zmm0,zmm8
    vpunpcklbw   zmm8,zmm1,zmm5
    vpunpckhbw   zmm1,zmm1,zmm5
    vpunpcklbw   zmm5,zmm3,zmm6
    vpunpckhbw   zmm3,zmm3,zmm6
    vpunpcklbw   zmm6,zmm4,zmm7
    vpunpckhbw   zmm4,zmm4,zmm7
    vpunpcklbw   zmm7,zmm9,zmm5
    vpunpckhbw   zmm5,zmm9,zmm5
    vpunpcklbw   zmm9,zmm8,zmm6
    vpunpckhbw   zmm6,zmm8,zmm6
    vpunpcklbw   zmm8,zmm0,zmm3
    vpunpckhbw   zmm0,zmm0,zmm3
    vpunpcklbw   zmm3,zmm1,zmm4
    vpunpckhbw   zmm1,zmm1,zmm4
    vpunpcklbw   zmm4,zmm7,zmm9
    vpunpckhbw   zmm7,zmm7,zmm9
    vpunpcklbw   zmm9,zmm5,zmm6
    vpunpckhbw   zmm5,zmm5,zmm6
    vpunpcklbw   zmm6,zmm8,zmm3
    vpunpckhbw   zmm3,zmm8,zmm3
    vpunpcklbw   zmm8,zmm0,zmm1
    vpunpckhbw   zmm0,zmm0,zmm1
    vpunpcklbw   zmm10,zmm4,zmm6
    vpunpckhbw   zmm17,zmm4,zmm6
    vpunpcklbw   zmm21,zmm7,zmm3
    vpunpckhbw   zmm31,zmm7,zmm3
    vpunpcklbw   zmm30,zmm9,zmm8
    vpunpckhbw   zmm20,zmm9,zmm8
    vpunpcklbw   zmm18,zmm5,zmm0
    vmovdqa64    zmm1,ZMMWORD PTR [const0]
    vpermw       zmm3,zmm1,ZMMWORD PTR [r14]
    vpunpckhbw   zmm4,zmm5,zmm0
    vpsrlw       zmm0,zmm3,0x3
    vpandd       zmm5,zmm0,DWORD BCST [const1]
    vmovdqa64    zmm0,ZMMWORD PTR [const2]
    vpshufb      zmm6,zmm0,zmm3
    vpaddb       zmm8,zmm6,zmm6
    vpternlogd   zmm0,zmm0,zmm0,0xff
    vpaddb       zmm9,zmm6,zmm0
    vpxor        xmm1,xmm1,xmm1
    vpsubb       zmm11,zmm1,zmm8
    vmovdqa64    zmm1,ZMMWORD PTR [const3]
    vpshufb      zmm2,zmm1,zmm5
    vmovdqa64    zmm1,ZMMWORD PTR [const4]
    vpshufb      zmm14,zmm1,zmm5
    vmovdqa64    zmm1,ZMMWORD PTR [const5]
    vpshufb      zmm23,zmm1,zmm5
    vmovdqa64    zmm1,ZMMWORD PTR [const6]
    vpshufb      zmm7,zmm1,zmm5
    vmovdqa64    zmm1,ZMMWORD PTR [const7]
    vpshufb      zmm12,zmm1,zmm5
    vmovdqa64    zmm1,ZMMWORD PTR [const8]
    vpshufb      zmm19,zmm1,zmm5
    vmovdqa64    zmm1,ZMMWORD PTR [const9]
    vpshufb      zmm26,zmm1,zmm5
    vmovdqa64    zmm1,ZMMWORD PTR [const10]
    vpshufb      zmm15,zmm1,zmm5
    vpandq       zmm5,zmm2,zmm10
    vmovdqa64    ZMMWORD PTR [rsp+0x100],zmm2
    vpternlogq   zmm5,zmm14,zmm17,0xf8
    vmovdqa64    ZMMWORD PTR [rsp+0x80],zmm14
    vpternlogq   zmm5,zmm23,zmm21,0xf8
    vpandq       zmm10,zmm7,zmm31
    vpternlogq   zmm10,zmm12,zmm30,0xf8
    vpternlogq   zmm10,zmm19,zmm20,0xf8
    vpandq       zmm13,zmm26,zmm18
    vpternlogq   zmm13,zmm15,zmm4,0xf8
    vmovdqa64    ZMMWORD PTR [rsp+0xc0],zmm15
    vpternlogq   zmm13,zmm5,zmm10,0xfe
    vpandd       zmm4,zmm13,zmm11
    vpandd       zmm5,zmm13,zmm9
    vmovdqa64    zmm1,ZMMWORD PTR [const11]
    vpshufb      zmm9,zmm1,zmm5
    vpsrlw       zmm5,zmm5,0x4
    vpandd       zmm5,zmm5,DWORD BCST [const12]
    vmovdqa64    zmm1,ZMMWORD PTR [const13]
    vpshufb      zmm5,zmm1,zmm5
    vpmaxub      zmm5,zmm9,zmm5
    vpsubb       zmm5,zmm6,zmm5
    vpsubb       zmm22,zmm4,zmm8
    vpternlogq   zmm22,zmm4,zmm5,0xbe
    vpandq       zmm24,zmm2,zmm6
    vpandq       zmm28,zmm14,zmm6
    vpandq       zmm16,zmm23,zmm6
    vpandq       zmm2,zmm7,zmm6
    vpandq       zmm1,zmm12,zmm6
    vpandq       zmm4,zmm19,zmm6
    vpandq       zmm14,zmm26,zmm6
    vpandq       zmm25,zmm15,zmm6
    vpandd       zmm12,zmm22,zmm12
    vpshufb      zmm29,zmm0,zmm3
    vpxorq       zmm10,zmm29,zmm25
    vpxorq       zmm6,zmm29,zmm24
    vpaddb       zmm3,zmm24,zmm24
    vpavgb       zmm13,zmm29,zmm6
    vmovdqa64    zmm11,zmm28
    vpternlogq   zmm11,zmm3,zmm17,0xf4
    vpternlogq   zmm3,zmm24,zmm13,0xfd
    vpaddb       zmm6,zmm25,zmm25
    vpavgb       zmm10,zmm29,zmm10
    vpternlogq   zmm24,zmm28,zmm17,0xdc
    vmovdqa64    zmm27,zmm14
    vpternlogq   zmm27,zmm6,zmm18,0xf4
    vpternlogq   zmm6,zmm25,zmm10,0xfd
    vpternlogq   zmm25,zmm14,zmm18,0xdc
    vpternlogq   zmm10,zmm18,zmm14,0x54
    vpternlogq   zmm13,zmm17,zmm28,0x54
    vpaddb       zmm11,zmm11,zmm11
    vpavgb       zmm15,zmm29,zmm13
    vmovdqa64    zmm5,zmm16
    vpternlogq   zmm5,zmm11,zmm21,0xf4
    vpternlogq   zmm11,zmm24,zmm15,0xfd
    vpavgb       zmm10,zmm29,zmm10
    vpaddb       zmm13,zmm27,zmm27
    vpternlogq   zmm24,zmm16,zmm21,0xdc
    vmovdqa64    zmm27,zmm4
    vpternlogq   zmm27,zmm13,zmm20,0xf4
    vpternlogq   zmm13,zmm25,zmm10,0xfd
    vpternlogq   zmm25,zmm4,zmm20,0xdc
    vpternlogq   zmm10,zmm20,zmm4,0x54
    vpternlogq   zmm15,zmm21,zmm16,0x54
    vpaddb       zmm5,zmm5,zmm5
    vpavgb       zmm15,zmm29,zmm15
    vmovdqa64    zmm9,zmm2
    vpternlogq   zmm9,zmm5,zmm31,0xf4
    vpternlogq   zmm5,zmm24,zmm15,0xfd
    vpavgb       zmm0,zmm29,zmm10
    vpaddb       zmm27,zmm27,zmm27
    vpternlogq   zmm24,zmm2,zmm31,0xdc
    vmovdqa64    zmm8,zmm1
    vpternlogq   zmm8,zmm27,zmm30,0xf4
    vpternlogq   zmm27,zmm25,zmm0,0xfd
    vpternlogq   zmm15,zmm31,zmm2,0x54
    vpaddb       zmm9,zmm9,zmm9
    vpavgb       zmm15,zmm29,zmm15
    vmovdqa64    zmm10,zmm9
    vpternlogq   zmm10,zmm24,zmm15,0xfd
    vpternlogq   zmm10,zmm27,zmm12,0xfe
    vpandd       zmm12,zmm22,zmm7
    vpternlogq   zmm25,zmm1,zmm30,0xdc
    vpternlogq   zmm0,zmm30,zmm1,0x54
    vpavgb       zmm0,zmm29,zmm0
    vpaddb       zmm7,zmm8,zmm8
    vmovdqa64    zmm8,zmm2
    vpternlogq   zmm8,zmm7,zmm31,0xf4
    vpternlogq   zmm7,zmm25,zmm0,0xfd
    vpternlogq   zmm7,zmm5,zmm12,0xfe
    vpternlogq   zmm25,zmm2,zmm31,0xdc
    vpternlogq   zmm0,zmm31,zmm2,0x54
    vpternlogq   zmm24,zmm1,zmm30,0xdc
    vpternlogq   zmm15,zmm30,zmm1,0x54
    vpternlogq   zmm1,zmm9,zmm30,0xf4
    vpandd       zmm2,zmm22,zmm19
    vpaddb       zmm5,zmm1,zmm1
    vpavgb       zmm9,zmm29,zmm15
    vmovdqa64    zmm1,zmm5
    vpternlogq   zmm1,zmm24,zmm9,0xfd
    vpternlogq   zmm1,zmm13,zmm2,0xfe
    vpandd       zmm2,zmm22,zmm23
    vpavgb       zmm0,zmm29,zmm0
    vpaddb       zmm8,zmm8,zmm8
    vmovdqa64    zmm12,zmm16
    vpternlogq   zmm12,zmm8,zmm21,0xf4
    vpternlogq   zmm8,zmm25,zmm0,0xfd
    vpternlogq   zmm8,zmm11,zmm2,0xfe
    vpternlogq   zmm25,zmm16,zmm21,0xdc
    vpternlogq   zmm0,zmm21,zmm16,0x54
    vpternlogq   zmm24,zmm4,zmm20,0xdc
    vpternlogq   zmm9,zmm20,zmm4,0x54
    vpternlogq   zmm4,zmm5,zmm20,0xf4
    vpandd       zmm2,zmm22,zmm26
    vpaddb       zmm4,zmm4,zmm4
    vpavgb       zmm5,zmm29,zmm9
    vmovdqa64    zmm9,zmm4
    vpternlogq   zmm9,zmm24,zmm5,0xfd
    vpternlogq   zmm9,zmm6,zmm2,0xfe
    vpandd       zmm2,zmm22,ZMMWORD PTR [rsp+0x80]
    vpavgb       zmm0,zmm29,zmm0
    vpaddb       zmm6,zmm12,zmm12
    vmovdqa64    zmm11,zmm28
    vpternlogq   zmm11,zmm6,zmm17,0xf4
    vpternlogq   zmm6,zmm25,zmm0,0xfd
    vpternlogq   zmm6,zmm3,zmm2,0xfe
    vpternlogq   zmm25,zmm28,zmm17,0xdc
    vpternlogq   zmm0,zmm17,zmm28,0x54
    vpternlogq   zmm24,zmm14,zmm18,0xdc
    vpternlogq   zmm5,zmm18,zmm14,0x54
    vpternlogq   zmm14,zmm4,zmm18,0xf4
    vpaddb       zmm2,zmm14,zmm14
    vpavgb       zmm3,zmm29,zmm5
    vpternlogq   zmm3,zmm24,zmm2,0xef
    vpavgb       zmm0,zmm29,zmm0
    vpaddb       zmm2,zmm11,zmm11
    vpternlogq   zmm2,zmm25,zmm0,0xfd
    vpternlogq   zmm3,zmm22,ZMMWORD PTR [rsp+0xc0],0xf8
    vpternlogq   zmm2,zmm22,ZMMWORD PTR [rsp+0x100],0xf8
    vpunpcklbw   zmm0,zmm2,zmm10
    vpunpckhbw   zmm2,zmm2,zmm10
    vpunpcklbw   zmm4,zmm6,zmm1
    vpunpckhbw   zmm1,zmm6,zmm1
    vpunpcklbw   zmm5,zmm8,zmm9
    vpunpckhbw   zmm6,zmm8,zmm9
    vpunpcklbw   zmm8,zmm7,zmm3
    vpunpckhbw   zmm3,zmm7,zmm3
    vpunpcklbw   zmm7,zmm0,zmm5
    vpunpckhbw   zmm0,zmm0,zmm5
    vpunpcklbw   zmm5,zmm4,zmm8
    vpunpckhbw   zmm4,zmm4,zmm8
    vpunpcklbw   zmm9,zmm2,zmm6
    vpunpckhbw   zmm2,zmm2,zmm6
    vpunpcklbw   zmm10,zmm1,zmm3
    vpunpckhbw   zmm11,zmm1,zmm3
    vpunpcklbw   zmm8,zmm7,zmm5
    vpunpckhbw   zmm7,zmm7,zmm5
    vpunpcklbw   zmm6,zmm0,zmm4
    vpunpckhbw   zmm5,zmm0,zmm4
    vpunpcklbw   zmm4,zmm9,zmm10
    vpunpckhbw   zmm3,zmm9,zmm10
    vpunpcklbw   zmm1,zmm2,zmm11
    vpunpckhbw   zmm0,zmm2,zmm11
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
    vmovntdq     ZMMWORD PTR [r15],zmm8
    lea          r14,[r15+0x40]
    vmovntdq     ZMMWORD PTR [r14],zmm7
    lea          r14,[r15+0x80]
    vmovntdq     ZMMWORD PTR [r14],zmm6
    lea          r14,[r15+0xc0]
    vmovntdq     ZMMWORD PTR [r14],zmm5
    lea          r14,[r15+0x100]
    vmovntdq     ZMMWORD PTR [r14],zmm4
    lea          r14,[r15+0x140]
    vmovntdq     ZMMWORD PTR [r14],zmm3
    lea          r14,[r15+0x180]
    vmovntdq     ZMMWORD PTR [r14],zmm1
    add          r15,0x1c0
    vmovntdq     ZMMWORD PTR [r15],zmm0
    cmp          rax,rbx
    jne          .2
    jmp          .out
    nop          DWORD PTR [rax+0x0]
.1:
    vmovdqu64    ZMMWORD PTR [r15],zmm8
    vmovdqu64    ZMMWORD PTR [r15+0x40],zmm7
    vmovdqu64    ZMMWORD PTR [r15+0x80],zmm6
    vmovdqu64    ZMMWORD PTR [r15+0xc0],zmm5
    vmovdqu64    ZMMWORD PTR [r15+0x100],zmm4
    vmovdqu64    ZMMWORD PTR [r15+0x140],zmm3
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
