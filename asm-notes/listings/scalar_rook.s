.0:
    movzx        edi,BYTE PTR [r11+r10*1]
    cmp          rdi,0x40
    jae          .out
    mov          rbp,QWORD PTR [rdx+r10*8]
    mov          ecx,edi
    shl          ecx,0x5
    mov          rax,QWORD PTR [const0]
    mov          r13,QWORD PTR [rax+rcx*1]
    mov          rcx,r13
    and          rcx,rbp
    imul         rcx,r9
    shr          rcx,0x3a
    mov          eax,edi
    and          eax,0x7
    shl          eax,0x9
    add          rax,rbx
    and          r13,QWORD PTR [rax+rcx*8]
    mov          ecx,edi
    and          cl,0x7
    shr          rbp,cl
    and          rbp,r14
    imul         rbp,r15
    shr          rbp,0x3a
    shl          edi,0x6
    and          edi,0x3e00
    add          rdi,r12
    mov          rax,QWORD PTR [rdi+rbp*8]
    shl          rax,cl
    or           rax,r13
    mov          QWORD PTR [r8+r10*8],rax
    inc          r10
    cmp          rsi,r10
    jne          .0
