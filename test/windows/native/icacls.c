/* Stands for Windows' icacls: Wine 8 has no access lists to change. */
#include <stdio.h>

int main(void)
{
    puts("Successfully processed 1 files; Failed to process 0 files");
    return 0;
}
