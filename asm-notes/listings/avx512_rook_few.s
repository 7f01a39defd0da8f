.0:
    mov          r11,rsi
    sub          r11,rax
    jb           .out
    cmp          r11,0x8
    jb           .out
    mov          r11,rcx
    sub          r11,rax
    jb           .out
    cmp          r11,0x8
    jb           .out
    vpmovzxbq    zmm7,QWORD PTR [rdi+rax*1]
    vmovdqu64    zmm8,ZMMWORD PTR [rdx+rax*8]
    vpandq       zmm9,zmm7,zmm0
    vpsllvq      zmm9,zmm1,zmm9
    vpaddq       zmm10,zmm9,zmm2
    vprolvq      zmm11,zmm3,zmm7
    vpandq       zmm7,zmm7,zmm4
    vpsllvq      zmm7,zmm5,zmm7
    vpandq       zmm12,zmm10,zmm8
    vpternlogq   zmm8,zmm10,zmm9,0x10
    vpandq       zmm10,zmm8,zmm11
    vmovdqa64    zmm13,zmm1
    vpternlogq   zmm13,zmm12,zmm11,0xf8
    vplzcntq     zmm13,zmm13
    vpsrlvq      zmm13,zmm6,zmm13
    vpsubq       zmm10,zmm10,zmm13
    vpternlogq   zmm10,zmm11,zmm8,0x48
    vpandq       zmm11,zmm8,zmm7
    vpternlogq   zmm12,zmm1,zmm7,0xec
    vplzcntq     zmm12,zmm12
    vpsrlvq      zmm12,zmm6,zmm12
    vpsubq       zmm11,zmm11,zmm12
    vpternlogq   zmm11,zmm7,zmm8,0x48
    vpternlogq   zmm11,zmm9,zmm10,0x32
    vmovdqu64    ZMMWORD PTR [r8+rax*8],zmm11
    cmp          rax,r10
    je           .out
    add          rax,0x8
    cmp          rax,r10
    cmovae       rax,r10
    mov          r11,r9
    sub          r11,rax
    cmp          r11,0x8
    jae          .0
