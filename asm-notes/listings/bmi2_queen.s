.0:
    movzx        eax,BYTE PTR [rdi+r9*1]
    cmp          rax,0x40
    jae          .out
    mov          r12,QWORD PTR [rdx+r9*8]
    lea          r15,[rax+rax*2]
    pext         rcx,r12,QWORD PTR [r10+r15*8+0x8]
    add          rcx,QWORD PTR [r10+r15*8+0x10]
    cmp          rcx,0x1480
    jae          .out
    lea          r15,[r10+r15*8]
    mov          ebp,eax
    shr          bpl,0x3
    movzx        r13d,bpl
    shl          r13d,0x8
    add          r13,r11
    mov          ebp,eax
    shl          ebp,0x5
    mov          rbx,QWORD PTR [const0]
    mov          rbp,QWORD PTR [rbx+rbp*1+0x8]
    pext         rbx,r12,rbp
    movzx        ebx,bl
    movzx        ebx,BYTE PTR [rbx+r13*1]
    pdep         rbx,rbx,rbp
    mov          r13d,eax
    and          r13d,0x7
    shl          r13d,0x8
    add          r13,r11
    and          al,0x38
    shrx         r12,r12,rax
    movzx        r12d,r12b
    movzx        r12d,BYTE PTR [r12+r13*1]
    shlx         rax,r12,rax
    or           rax,rbx
    movzx        ecx,WORD PTR [r14+rcx*2]
    pdep         rcx,rcx,QWORD PTR [r15]
    or           rcx,rax
    mov          QWORD PTR [r8+r9*8],rcx
    inc          r9
    cmp          rsi,r9
    jne          .0
