.0:
    movzx        edi,BYTE PTR [r14+r11*1]
    cmp          rdi,0x40
    jae          .out
    mov          rcx,QWORD PTR [rdx+r11*8]
    mov          ebx,edi
    shl          ebx,0x5
    mov          r13,QWORD PTR [r10+rbx*1]
    mov          rbp,r13
    and          rbp,rcx
    imul         rbp,r9
    shr          rbp,0x3a
    mov          eax,edi
    and          eax,0x7
    shl          eax,0x9
    add          rax,QWORD PTR [const0]
    and          r13,QWORD PTR [rax+rbp*8]
    mov          r15,QWORD PTR [r10+rbx*1+0x10]
    mov          rbp,r15
    and          rbp,rcx
    imul         rbp,r9
    shr          rbp,0x3a
    and          r15,QWORD PTR [rax+rbp*8]
    mov          rbp,rcx
    mov          rbx,QWORD PTR [r10+rbx*1+0x18]
    and          rcx,rbx
    imul         rcx,r9
    shr          rcx,0x3a
    and          rbx,QWORD PTR [rax+rcx*8]
    mov          ecx,edi
    and          cl,0x7
    shr          rbp,cl
    movabs       rax,0x1010101010101
    and          rbp,rax
    movabs       rax,0x80402010080400
    imul         rbp,rax
    shr          rbp,0x3a
    shl          edi,0x6
    and          edi,0x3e00
    add          rdi,r12
    mov          rax,QWORD PTR [rdi+rbp*8]
    shl          rax,cl
    or           rax,r13
    or           rbx,r15
    or           rbx,rax
    mov          QWORD PTR [r8+r11*8],rbx
    inc          r11
    cmp          rsi,r11
    jne          .0
