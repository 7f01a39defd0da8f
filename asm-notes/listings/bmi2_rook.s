.0:
    movzx        eax,BYTE PTR [rdi+r9*1]
    cmp          rax,0x40
    jae          .out
    mov          r11,QWORD PTR [rdx+r9*8]
    mov          ebx,eax
    and          ebx,0x7
    shl          ebx,0x8
    add          rbx,rcx
    mov          r14d,eax
    and          r14b,0x38
    shrx         r15,r11,r14
    movzx        r15d,r15b
    movzx        ebx,BYTE PTR [r15+rbx*1]
    mov          ebp,eax
    shr          bpl,0x3
    shl          eax,0x5
    mov          rax,QWORD PTR [r10+rax*1+0x8]
    pext         r11,r11,rax
    movzx        r11d,r11b
    movzx        r15d,bpl
    shl          r15d,0x8
    add          r15,rcx
    movzx        r11d,BYTE PTR [r11+r15*1]
    shlx         rbx,rbx,r14
    pdep         rax,r11,rax
    or           rax,rbx
    mov          QWORD PTR [r8+r9*8],rax
    inc          r9
    cmp          rsi,r9
    jne          .0
