.0:
    movzx        eax,BYTE PTR [rdi+r10*1]
    cmp          rax,0x40
    jae          .out
    mov          rbx,QWORD PTR [rdx+r10*8]
    mov          r14d,eax
    shl          r14d,0x5
    mov          r15,QWORD PTR [r9+r14*1+0x10]
    mov          r14,QWORD PTR [r9+r14*1+0x18]
    mov          r12,r15
    and          r12,rbx
    imul         r12,rcx
    shr          r12,0x3a
    and          eax,0x7
    shl          eax,0x9
    add          rax,r11
    and          r15,QWORD PTR [rax+r12*8]
    and          rbx,r14
    imul         rbx,rcx
    shr          rbx,0x3a
    and          r14,QWORD PTR [rax+rbx*8]
    or           r14,r15
    mov          QWORD PTR [r8+r10*8],r14
    inc          r10
    cmp          rsi,r10
    jne          .0
