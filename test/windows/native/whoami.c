/* Stands for Windows' whoami /user /fo csv /nh, which Wine 8 does not speak. */
#include <stdio.h>

int main(void)
{
    printf("\"host\\root\",\"S-1-5-21-1-2-3-1000\"\r\n");
    return 0;
}
