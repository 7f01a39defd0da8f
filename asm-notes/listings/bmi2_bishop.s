.0:
    movzx        eax,BYTE PTR [rdi+rcx*1]
    mov          rbx,QWORD PTR [rdx+rcx*8]
    and          eax,0x3f
    lea          r11,[rax+rax*2]
    pext         rax,rbx,QWORD PTR [r9+r11*8+0x8]
    add          rax,QWORD PTR [r9+r11*8+0x10]
    cmp          rax,0x1480
    jae          .out
    lea          r11,[r9+r11*8]
    movzx        eax,WORD PTR [r10+rax*2]
    pdep         rax,rax,QWORD PTR [r11]
    mov          QWORD PTR [r8+rcx*8],rax
    inc          rcx
    cmp          rsi,rcx
    jne          .0
